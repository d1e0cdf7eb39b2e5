/** A container that the kubelet or the runtime cannot start: the message decides, not a word in it. */
import { describe, expect, test } from 'vitest';
import { aFailingPod } from '../../causes/testing.ts';

import { STORE_BROKEN } from './start-errors.ts';
import { broken, findings } from './verdict.fixture.ts';

const RUNC = 'OCI runtime create failed: runc create failed: unable to start container process: ';
const BACK_OFF = { reason: 'CrashLoopBackOff', message: 'back-off 1m20s' };

const ended = (message: string, reason = 'StartError', exitCode = 128) =>
  aFailingPod({
    started: false,
    restarts: 4,
    waiting: BACK_OFF,
    lastTerminated: { reason, exitCode, signal: undefined, message },
  });
const waits = (message: string, reason: string) =>
  aFailingPod({ started: false, waiting: { reason, message } });

describe('the message of the runtime says what does not exist', () => {
  test.each([
    ['containers.command-not-found', 'exec: "serve": executable file not found in $PATH: unknown'],
    ['containers.command-not-found', 'exec: "/app/run": stat /app/run: no such file or directory: unknown'],
    ['containers.command-not-found', 'exec /app/run.sh: no such file or directory'],
    [
      'containers.command-not-found',
      'caused "exec: \\"/run\\": stat /run: no such file or directory": unknown',
    ],
    [
      'containers.command-not-found',
      'crun: executable file `serve` not found in $PATH: No such file or directory',
    ],
    [
      'containers.command-not-found',
      'hcs::System::CreateProcess app: The system cannot find the file specified.',
    ],
    ['containers.not-executable', 'exec: "/app/run": permission denied: unknown'],
    ['containers.gpu-driver', 'fork/exec /usr/bin/nvidia-container-runtime-hook: no such file or directory'],
    ['containers.gpu-driver', 'nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.4'],
    ['containers.gpu-driver', 'CDI device injection failed: unresolvable CDI devices nvidia.com/gpu=all'],
    [
      'containers.not-created',
      'error mounting "/dev/fuse" to rootfs at "/dev/fuse": stat /dev/fuse: no such file or directory',
    ],
    [
      'containers.not-created',
      'error running prestart hook #0: fork/exec /opt/hook: no such file or directory',
    ],
    ['containers.not-created', 'chdir to cwd ("/app") set in config.json failed: no such file or directory'],
    ['containers.not-created', 'error mounting "/a" to rootfs at "/b": open /a: permission denied'],
    [
      'containers.out-of-memory',
      'failed to write "4096": write /sys/fs/cgroup/x/memory.max: device or resource busy',
    ],
  ])('%s: %s', (id, message) => {
    expect(broken(ended(`${RUNC}${message}`))).toEqual([id]);
    expect(broken(waits(`${RUNC}${message}`, 'RunContainerError'))).toEqual([id]);
  });

  test.each([
    [127, 'error mounting "/a" to rootfs at "/b": no such file or directory', 'containers.not-created'],
    [126, 'error mounting "/a" to rootfs at "/b": permission denied', 'containers.not-created'],
    [127, '', 'containers.command-not-found'],
    [126, '', 'containers.not-executable'],
  ])('also where the runtime has a code of its own for it: %i %s', (code, message, id) => {
    expect(broken(ended(message, 'ContainerCannotRun', code))).toEqual([id]);
  });
});

describe('a container that the kubelet cannot configure', () => {
  test.each([
    ['containers.config-missing', 'configmap "web" not found'],
    ['containers.config-missing', "couldn't find key LOG_LEVEL in ConfigMap shop/web"],
    ['containers.config-missing', ''],
    ['containers.run-as-root', 'container has runAsNonRoot and image will run as root'],
    ['containers.run-as-root', "container's runAsUser breaks non-root policy"],
    [
      'containers.not-created',
      'failed to create subPath directory for volumeMount "data" of container "app"',
    ],
    ['containers.not-created', 'failed to sync configmap cache: timed out waiting for the condition'],
  ])('%s: %s', (id, message) => {
    expect(broken(waits(message, 'CreateContainerConfigError'))).toEqual([id]);
  });

  test('because the kubelet has not read its objects is told what to do about that', () => {
    const [top] = findings(waits('failed to sync secret cache: timed out', 'CreateContainerConfigError'));
    expect(top).toMatchObject({ title: 'The kubelet cannot read what the container needs' });
    expect(top!.fix).toContain('API server');
  });
});

describe('the image store of a node', () => {
  const SNAPSHOTS = '/var/lib/containerd/io.containerd.snapshotter.v1.overlayfs/snapshots';
  const LAYER = 'sha256:4040404040404014294011111111111111111111111111111111111111111111';

  test.each([
    `failed to stat parent: stat ${SNAPSHOTS}/12/fs: no such file or directory`,
    `open /data/containerd/io.containerd.content.v1.content/blobs/sha256/40404: no such file or directory`,
    'readlink /var/lib/docker/overlay2/l/ABCDEF: no such file or directory',
    'open /var/lib/containers/storage/overlay/2f1a/link: no such file or directory',
    'open /var/lib/containers/storage/overlay-images/2f1a/=bWFuaWZlc3Q=: no such file or directory',
    'error creating overlay mount to /var/lib/docker/overlay2/2f1a/merged: no such file or directory',
    `failed to create snapshot: missing parent "k8s.io/8/${LAYER}" bucket: not found`,
    `parent snapshot ${LAYER} does not exist: not found`,
    `failed to create containerd container: failed to create prepare snapshot dir: failed to create temp dir: stat ${SNAPSHOTS}: no such file or directory`,
    `mkdir ${SNAPSHOTS}/new-123/fs: no such file or directory`,
    `rename ${SNAPSHOTS}/new-123 ${SNAPSHOTS}/45: no such file or directory`,
    'open /var/lib/containerd/io.containerd.content.v1.content/ingest/2f1a4040/data: no such file or directory',
    'mkdir /var/lib/containerd/io.containerd.content.v1.content/ingest/2f1a4040: no such file or directory',
    'stat /var/lib/containerd/io.containerd.content.v1.content/blobs/sha256: no such file or directory',
    'open /var/lib/docker/image/overlay2/imagedb/content/sha256/2f1a: no such file or directory',
    'open /data/docker/image/overlay2/layerdb/sha256/2f1a/cache-id: no such file or directory',
    'open /var/lib/containerd/io.containerd.metadata.v1.bolt/meta.db: no such file or directory',
    'stat /var/lib/docker/231072.231072/overlay2/2f1a: no such file or directory',
    `readlink /mnt/store/overlay/l/ABCDEFGHIJKLMNOPQRSTUVWXYZ: no such file or directory`,
    `open /mnt/store/overlay/${LAYER.slice(7)}/link: no such file or directory`,
    `stat /mnt/store/overlay2/${LAYER.slice(7)}-init: no such file or directory`,
    `open /mnt/store/overlay-images/${LAYER.slice(7)}/manifest: no such file or directory`,
  ])('is damaged where it lacks a part: %s', (message) => {
    expect(STORE_BROKEN.test(message)).toBe(true);
  });

  test.each([
    'chmod /var/lib/containerd/tmpmounts/containerd-mount1/sbin: no such file or directory',
    'link /var/lib/containerd/tmpmounts/containerd-mount1/a /var/lib/containerd/tmpmounts/containerd-mount1/b: no such file or directory',
    `failed to extract layer ${LAYER}: chmod ${SNAPSHOTS}/9/fs/sbin: no such file or directory`,
    `failed to extract layer ${LAYER}: mkdir ${SNAPSHOTS}/new-9/fs/sbin/x: no such file or directory`,
    'open /app/image/overlay2/logo.png: no such file or directory',
    'open /data/meta.db: no such file or directory',
    'open /var/lib/containers/storage/overlay/2f1a/merged/app/x: no such file or directory',
    'open /var/lib/docker/overlay2/2f1a/merged/app/x: no such file or directory',
    'error mounting "/var/lib/docker/containers" to rootfs at "/logs": stat /var/lib/docker/containers: no such file or directory',
    'stat /run/containerd/io.containerd.runtime.v2.task/k8s.io/2f1a/rootfs/app: no such file or directory',
    'failed to prepare subPath for volumeMount "config" of container "app": lstat /mnt/overlay/config: no such file or directory',
    'error mounting "/data/overlay/app" to rootfs at "/app": stat /data/overlay/app: no such file or directory',
    'stat /opt/overlay2/data: no such file or directory',
    'open /data/overlay-images/logo.png: no such file or directory',
    'stat /srv/my-docker/overlay/app: no such file or directory',
  ])('is not where a file of an image, or a mount of the pod, is missing: %s', (message) => {
    expect(STORE_BROKEN.test(message)).toBe(false);
  });

  test('is searched for in a long message without end', () => {
    for (const part of [
      '/var/lib/docker/',
      '/overlay/',
      '/overlay-images/',
      '/docker/overlay2/',
      '/containers/storage/overlay/l/',
      '/docker/1.1/',
      '/overlay/4',
      'snapshot ',
      'missing parent "',
      '/io.containerd.snapshotter.v1.',
      '/io.containerd.content.',
      '/io.containerd.metadata.',
      '/image/overlay2/imagedb/',
      'content sha256:',
    ]) {
      const message = part.repeat(Math.ceil(65_536 / part.length));
      const beganMs = performance.now();
      expect(STORE_BROKEN.test(message)).toBe(false);
      expect(performance.now() - beganMs).toBeLessThan(500);
    }
  });
});
