# The same content as `npm run image` makes, for those who build with Docker. It is not built or tested here: the image that
# is published is that of `npm run image`, and the digests of the two differ. See docs/image.md.
#
#   npm ci && npm run build -- --package-only
#   docker build --build-arg VERSION=0.2.0 --build-arg COMMIT=$(git rev-parse --short=12 HEAD) -t chandler .
FROM debian:trixie-slim AS libraries
RUN set -eu; mkdir -p /root-of-image; cd /root-of-image; \
    mkdir -p dev etc home/nonroot proc run sys tmp usr/bin usr/lib usr/lib64 usr/sbin usr/share/doc; \
    ln -s usr/bin bin; ln -s usr/lib lib; ln -s usr/lib64 lib64; ln -s usr/sbin sbin; \
    folder=$(dirname "$(find /usr/lib -name libc.so.6)"); mkdir -p ".$folder"; \
    for name in libc.so.6 libdl.so.2 libm.so.6 libpthread.so.0 libresolv.so.2 librt.so.1 libgcc_s.so.1 'libstdc++.so.6*'; do \
      cp -a "$folder"/$name ".$folder/" 2>/dev/null || true; done; \
    cp -a "$folder"/ld-linux-* ".$folder/"; \
    for loader in /usr/lib/ld-linux-* /usr/lib64/ld-linux-*; do [ ! -e "$loader" ] || cp -a "$loader" ".$loader"; done; \
    for name in base-files gcc-14-base libc6 libgcc-s1 libstdc++6; do cp -a "/usr/share/doc/$name" usr/share/doc/; done; \
    cp -a /usr/share/common-licenses usr/share/; \
    cp -a /usr/lib/os-release usr/lib/; cp -a /etc/os-release /etc/debian_version etc/; \
    printf 'root:x:0:0:root:/root:/sbin/nologin\nnobody:x:65534:65534:nobody:/nonexistent:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n' > etc/passwd; \
    printf 'root:x:0:\nnobody:x:65534:\nnonroot:x:65532:\n' > etc/group; \
    printf 'passwd: files\ngroup: files\nhosts: files dns\n' > etc/nsswitch.conf; \
    chown 65532:65532 home/nonroot; chmod 700 home/nonroot; chmod 1777 tmp
# There is no `env` in the image, so the first line of the program names Node.js itself.
COPY dist/chandler.js /root-of-image/opt/chandler/chandler.js
RUN set -eu; cd /root-of-image; sed -i '1s,.*,#!/usr/local/bin/node,' opt/chandler/chandler.js; \
    mkdir -p usr/local/bin; ln -s /opt/chandler/chandler.js usr/local/bin/chandler

FROM node:24.21.0-trixie-slim AS node

FROM scratch
ARG VERSION=unknown
ARG COMMIT=unknown
LABEL org.opencontainers.image.title=chandler \
      org.opencontainers.image.licenses=Apache-2.0 \
      org.opencontainers.image.version=$VERSION \
      org.opencontainers.image.revision=$COMMIT
COPY --from=libraries /root-of-image/ /
COPY --from=node /usr/local/bin/node /usr/local/bin/node
COPY --from=node /usr/local/LICENSE /usr/share/doc/nodejs/LICENSE
COPY dist/package.json dist/LICENSE dist/sbom.cdx.json /opt/chandler/
COPY dist/lib /opt/chandler/lib
COPY dist/charts /opt/chandler/charts
ENV PATH=/usr/local/bin:/usr/bin
USER 65532:65532
ENTRYPOINT ["/usr/local/bin/chandler"]
