/** Notices that this process and its engine stood still: connections to hosts end meanwhile, and the hosts seem lost. */

/** Lateness of a timer that load alone does not explain. */
const LEAST_SECONDS = 10;

/** @returns ends the watch; its words follow an error's, and are empty without a standstill */
export function watchStandstill(): () => string {
  let [last, longest] = [Date.now(), 0];
  const look = () => {
    longest = Math.max(longest, Math.floor((Date.now() - last) / 1000));
    last = Date.now();
  };
  const timer = setInterval(look, 1000);
  return () => {
    clearInterval(timer);
    look();
    return longest < LEAST_SECONDS
      ? ""
      : `\n  this command stood still for ${longest} s (stopped, asleep, or its clock was set), which may be why: use --resume`;
  };
}
