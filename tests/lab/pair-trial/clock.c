/* Sets the wall clock of a program off by the seconds in /tmp/clock. Its monotonic clock stays. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>

static long off(void) {
  long seconds = 0;
  FILE *file = fopen("/tmp/clock", "r");
  if (file) {
    if (fscanf(file, "%ld", &seconds) != 1) seconds = 0;
    fclose(file);
  }
  return seconds;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int (*unmoved)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
  int status = unmoved(clock, time);
  if (status == 0 && clock == CLOCK_REALTIME) time->tv_sec += off();
  return status;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  struct timespec now;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *into) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (into) *into = now.tv_sec;
  return now.tv_sec;
}
