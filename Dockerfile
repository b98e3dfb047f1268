# docker build -t dra-health-agent:0.1.0 --build-arg COMMIT=$(git describe --always --dirty) .
# The release build, and of Debian exactly the libraries that it is linked to: no shell, no package manager.
FROM debian:bookworm AS build
ARG COMMIT=""
WORKDIR /src
COPY . .
RUN scripts/install-dependencies.sh build \
    && cmake --preset release -DDRA_HEALTH_COMMIT="$COMMIT" \
    && cmake --build --preset release \
    && scripts/image-root.sh build/release/src/dra-health-agent /image

FROM scratch
COPY --from=build /image /
ENTRYPOINT ["/usr/bin/dra-health-agent"]
CMD ["run"]
