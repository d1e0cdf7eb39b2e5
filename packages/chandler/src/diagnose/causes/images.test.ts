/** The reason of a failed pull is read from the words of the message, and not from the name of the image. */
import { expect, test } from 'vitest';
import { aFailingPod, events } from '../../causes/testing.ts';

import { broken, findings } from './verdict.fixture.ts';

const DIGEST = 'sha256:4040404040404014294011111111111111111111111111111111111111111111';
const failing = (image: string, message: string) =>
  aFailingPod({ started: false, image, waiting: { reason: 'ErrImagePull', message } });

test.each([
  ['a digest', `shop.azurecr.io/web@${DIGEST}`],
  ['a tag', 'shop.azurecr.io/web:404'],
  ['a tag of a build', 'shop.azurecr.io/web:build-429-401'],
  ['a repository', 'shop.azurecr.io/denied/401/web:1'],
  ['a repository of words', 'shop.azurecr.io/unauthorized:1'],
])('%s with numbers or words of a registry is no reason', (_, image) => {
  const messages = [
    `failed to pull and unpack image "${image}": failed to extract layer ${DIGEST}: unexpected EOF`,
    `Failed to pull image ${image}: failed to copy: https://shop.azurecr.io/v2/unauthorized/blobs/${DIGEST}: unexpected EOF`,
    `failed to resolve reference "docker.io/${image}": unexpected EOF`,
  ];
  for (const message of messages) expect(broken(failing(image, message))).toEqual(['L7.1']);
  const [reason] = messages;
  const pod = aFailingPod({
    started: false,
    image,
    waiting: { reason: 'ImagePullBackOff', message: `Back-off pulling image "${image}"` },
  });
  expect(broken(pod, events({ message: `Failed to pull image "${image}": ${reason}` }))).toEqual(['L7.1']);
});

test.each([
  ['images.not-found', 'unexpected status code 404'],
  [
    'images.not-found',
    `unexpected status from HEAD request to https://r.example/v2/web/manifests/1: 404 Not Found`,
  ],
  [
    'images.unauthorized',
    'failed to fetch oauth token: unexpected status from GET request to https://r.example/oauth2: 401 Unauthorized',
  ],
  ['images.unauthorized', 'unexpected status code [manifests 1]: 401'],
  ['images.unauthorized', 'received unexpected HTTP status: 403 Forbidden'],
  ['images.rate-limited', 'received unexpected HTTP status: 429'],
  ['images.rate-limited', '{"errors":[{"code":"TOOMANYREQUESTS","message":"slow down"}]}'],
  ['images.unauthorized', '{"errors":[{"code":"UNAUTHORIZED","message":"please log in"}]}'],
  [
    'images.unauthorized',
    'failed to resolve reference "r.example/web:1": pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed',
  ],
  [
    'images.unauthorized',
    "pull access denied for web, repository does not exist or may require 'docker login': denied: requested access to the resource is denied",
  ],
  ['images.not-found', 'repository web does not exist: name unknown'],
  ['images.unauthorized', 'denied: requested access to the resource is denied'],
  [
    'images.untrusted',
    'failed to do request: Head "https://r.example/v2/web/manifests/1": tls: failed to verify certificate: x509: certificate signed by unknown authority',
  ],
  ['images.untrusted', 'x509: certificate is valid for a.example, not r.example'],
  [
    'images.untrusted',
    'proxyconnect tcp: tls: failed to verify certificate: x509: certificate has expired or is not yet valid',
  ],
  ['images.unauthorized', 'denied: Permission denied for "latest" from request "/v2/web/manifests/latest".'],
  ['images.unauthorized', 'failed to authorize: denied: permission_denied: read_package'],
  ['images.unauthorized', '{"errors":[{"code":"DENIED","message":"The image may not be pulled"}]}'],
])('%s: %s', (id, message) => {
  const image = `r.example/web@${DIGEST}`;
  expect(broken(failing(image, `failed to pull "${image}": ${message}`))).toEqual([id]);
});

test.each([
  `failed to extract layer ${DIGEST}: mount callback failed on /tmp/containerd-mount1: open /tmp/containerd-mount1/a: permission denied`,
  `failed to extract layer ${DIGEST}: hcsshim::ImportLayer failed in Win32: Access is denied. (0x5)`,
  'write /var/lib/containerd/io.containerd.content.v1.content/ingest/2f1a/data: permission denied',
  'dial tcp 10.0.0.1:443: connect: permission denied',
])('what the node itself denies is no answer of the registry: %s', (message) => {
  const image = `r.example/web@${DIGEST}`;
  expect(broken(failing(image, `failed to pull and unpack image "${image}": ${message}`))).toEqual(['L7.1']);
});

test('a pull that is refused may also be one of a repository that does not exist', () => {
  const message =
    'pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed';
  const [finding] = findings(failing('shop.azurecr.io/web:1', message));
  expect(finding?.id).toBe('images.unauthorized');
  expect(finding?.fix).toContain('does not exist');
});

test('the event of a pull is found by the name of the image, also if a part of the name is redacted in it', () => {
  const image = (tag: string) => `shop.azurecr.io/web:${tag}`;
  const tag = ['abcdef', '0123456789abcdef'].join('.');
  const waiting = { reason: 'ImagePullBackOff', message: `Back-off pulling image "${image('[redacted]')}"` };
  const pod = aFailingPod({ started: false, image: image(tag), waiting });
  const failed = (name: string) => events({ message: `Failed to pull image "${name}": not found` });
  expect(broken(pod, failed(image('[redacted]')))).toEqual(['images.not-found']);
  expect(broken(pod, failed(image('2')))).toEqual(['L7.1']);
});
