# syntax=docker/dockerfile:1
# Builds from this repository: docker build -t shorty .

FROM node:24.21.0-bookworm-slim AS build
# SQLite is compiled where no prebuilt binary can be fetched.
RUN apt-get update \
  && apt-get install -y --no-install-recommends g++ make python3 \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /build
# Copied first, so that a change of the sources does not reinstall packages.
COPY package.json pnpm-lock.yaml pnpm-workspace.yaml ./
COPY packages/server/package.json packages/server/
COPY packages/webhook-verifier/package.json packages/webhook-verifier/
COPY packages/dashboard/package.json packages/dashboard/
COPY packages/import/package.json packages/import/
COPY packages/report/package.json packages/report/
COPY packages/sdk/package.json packages/sdk/
# Uses the image's Node headers, so that node-gyp downloads none.
ENV npm_config_nodedir=/usr/local
COPY packages/server/native packages/server/native
ENV CXXFLAGS="-include /build/packages/server/native/object-wrap.h"
RUN npx -y pnpm@10.34.9 install --frozen-lockfile --filter shorty \
  --filter @shorty/server... --filter @shorty/dashboard...
COPY tsconfig.json openapi.yaml ./
COPY packages/server packages/server
COPY packages/webhook-verifier packages/webhook-verifier
COPY packages/dashboard packages/dashboard
COPY packages/import packages/import
COPY packages/report packages/report
COPY packages/sdk packages/sdk
# Compiles, bundles the dashboard into the server, then reinstalls without development dependencies.
RUN npx tsc --build packages/server \
  && node packages/server/scripts/copy-assets.mjs \
  && node packages/dashboard/scripts/build.mjs \
  && rm -rf node_modules packages/*/node_modules packages/*/src \
    packages/dashboard packages/import packages/report packages/sdk \
  && npx -y pnpm@10.34.9 install --prod --frozen-lockfile --filter @shorty/server... \
  # What only the compiler needs.
  && find node_modules/.pnpm/better-sqlite3@*/node_modules/better-sqlite3 \
    \( -path '*/deps' -o -path '*/src' -o -path '*/build/Release/obj*' \) -prune -exec rm -rf {} +

FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production \
  HOST=0.0.0.0 \
  PORT=3000 \
  SHORTY_DATABASE_URL=file:/data/shorty.db \
  SHORTY_JOURNAL_FOLDER=/data/visits
RUN ln -s /app/packages/server/bin/shorty-server /usr/local/bin/shorty-server \
  && install -d -o node -g node -m 0700 /data /backups
COPY --from=build /build/package.json /app/
COPY --from=build /build/node_modules /app/node_modules
COPY --from=build /build/packages /app/packages
# The release workflow sets them. Last, because they differ in each build.
ARG VERSION
ARG REVISION
ARG CREATED
LABEL org.opencontainers.image.title="Shorty" \
  org.opencontainers.image.description="Short links, QR codes and signed webhooks" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="$VERSION" \
  org.opencontainers.image.revision="$REVISION" \
  org.opencontainers.image.created="$CREATED"
USER node
WORKDIR /data
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["shorty-server", "health"]
ENTRYPOINT ["shorty-server"]
CMD ["start"]
