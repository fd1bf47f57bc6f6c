# The local lab on a machine that is no Linux. Untested: written where no image could be built.
#   docker build -f docs/examples/lab.Dockerfile -t egress-bench-lab .
#   docker run --rm --privileged -v egress-bench-out:/egress-bench/out egress-bench-lab
# It makes namespaces and mounts, for which it needs --privileged: run it on a machine of your own only.
FROM node:24.21.0-bookworm-slim
WORKDIR /egress-bench
COPY . .
RUN apt-get update && npm run setup -- --lab && rm -rf /var/lib/apt/lists/*
ENTRYPOINT ["npm", "run", "local", "--"]
