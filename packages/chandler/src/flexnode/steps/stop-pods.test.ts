import { describe, expect, test } from 'vitest';
import { fakeContext, unitCommands } from '../kubelet/step-context.fixture.ts';
import { createStartServices } from './start-services.ts';

const step = createStartServices({ nodeToken: async () => 'token' });
const TASKS = '/run/containerd/io.containerd.runtime.v2.task/k8s.io';

const SOCKET = '/run/containerd/containerd.sock';

const BEFORE = [
  '*nat',
  ':POSTROUTING ACCEPT [0:0]',
  ':CNI-0000aaaa - [0:0]',
  ':DOCKER - [0:0]',
  '-A POSTROUTING -s 10.9.0.2/32 -m comment --comment "name: \\"theirs\\" id: \\"1\\"" -j CNI-0000aaaa',
  'COMMIT',
].join('\n');
const AFTER = BEFORE.replace(
  'COMMIT',
  [
    ':CNI-1111bbbb - [0:0]',
    '-A POSTROUTING -s 10.244.0.2/32 -m comment --comment "name: \\"chandler-bridge\\" id: \\"2\\"" -j CNI-1111bbbb',
    '-A CNI-1111bbbb -d 10.244.0.0/16 -j ACCEPT',
    'COMMIT',
  ].join('\n'),
);

/** Started on a machine that looks like `before`, then undone on one that looks like `after`. */
async function undone(around: {
  before?: object;
  after?: object;
  files?: Record<string, string>;
  beforeFiles?: Record<string, string>;
  facts?: Record<string, string>;
}) {
  const running = new Set<string>();
  const commands = unitCommands(running);
  const first = fakeContext({
    commands: { ...commands, ...around.before },
    ...(around.facts ? { facts: around.facts } : {}),
    files: around.beforeFiles ?? {},
  });
  await step.execute(first);
  const facts = Object.fromEntries(first.known);
  const context = fakeContext({
    commands: { ...commands, ...around.after },
    facts,
    files: around.files ?? {},
  });
  const leftovers = await step.undo(context);
  return {
    context,
    leftovers,
    changed: context.host.changed,
    lines: context.host.changed.map(({ argv }) => argv.join(' ')),
  };
}

describe('giving up a node', () => {
  test('both services are stopped and disabled, the kubelet first', async () => {
    const { lines, leftovers } = await undone({});
    expect(lines.filter((line) => /stop|disable/.test(line))).toEqual([
      'systemctl stop kubelet.service',
      'systemctl disable kubelet.service',
      'systemctl stop containerd.service',
      'systemctl disable containerd.service',
      'systemctl stop kubepods.slice',
    ]);
    expect(leftovers).toEqual([]);
  });

  test('[004-SEC-15] a service that was enabled before us stays enabled', async () => {
    const facts = {
      'services.containerd.enabled-before': 'true',
      'services.containerd.active-before': 'true',
      'services.kubelet.enabled-before': 'false',
      'services.kubelet.active-before': 'false',
    };
    const { lines } = await undone({ facts });
    expect(lines).not.toContain('systemctl disable containerd.service');
    expect(lines).toContain('systemctl disable kubelet.service');
  });

  test('containers are ended while containerd still runs, and one that does not go is reported with its command', async () => {
    const { lines, leftovers } = await undone({ files: { [`${TASKS}/abc/init.pid`]: '1' } });
    const end = lines.findIndex((line) => line.includes('k8s.io tasks delete --force abc'));
    expect(end).toBeGreaterThan(-1);
    expect(end).toBeLessThan(lines.indexOf('systemctl stop containerd.service'));
    expect(leftovers).toEqual([
      expect.objectContaining({
        what: 'container abc',
        finish: [expect.stringContaining('tasks delete --force abc')],
      }),
    ]);
  });

  test('[004-SEC-15] containers of a runtime that ran before us are left alone', async () => {
    const facts = {
      'services.containerd.enabled-before': 'true',
      'services.containerd.active-before': 'true',
    };
    const { lines } = await undone({ facts, files: { [`${TASKS}/abc/init.pid`]: '1' } });
    expect(lines.join('\n')).not.toContain('tasks delete');
  });

  test('mounts of pods go from the top down, and the kubelet folder last', async () => {
    const mounts = [
      '/',
      '/var/lib/kubelet',
      '/var/lib/kubelet/pods/1/volumes/a',
      '/var/lib/kubelet/pods/1/volumes/a/sub',
      '/var/lib/kubelets',
    ];
    let left = mounts;
    const { lines } = await undone({
      before: { findmnt: { stdout: '/\n' } },
      after: {
        findmnt: () => ({ stdout: `${left.join('\n')}\n` }),
        umount: ({ argv }: { argv: readonly string[] }) => {
          left = left.filter((path) => path !== argv.at(-1));
          return {};
        },
      },
    });
    expect(lines.filter((line) => line.startsWith('umount'))).toEqual([
      'umount /var/lib/kubelet/pods/1/volumes/a/sub',
      'umount /var/lib/kubelet/pods/1/volumes/a',
      'umount /var/lib/kubelet',
    ]);
  });

  test('[004-SEC-15] mounts of the owner below the kubelet folder stay, from before and after bootstrap', async () => {
    const before = ['/', '/var/lib/kubelet/pods', '/var/lib/kubelet/seed data'];
    const kubelets = [
      '/var/lib/kubelet',
      '/var/lib/kubelet/pods/1/volumes/a',
      '/var/lib/kubelet/plugins/kubernetes.io/csi/disk/1/globalmount',
    ];
    let left = [...before, ...kubelets, '/var/lib/kubelet/backup'];
    const escaped = (paths: readonly string[]) => `${paths.join('\n').replaceAll(' ', '\\x20')}\n`;
    const { lines, leftovers } = await undone({
      before: { findmnt: { stdout: escaped(before) } },
      after: {
        findmnt: () => ({ stdout: escaped(left) }),
        umount: ({ argv }: { argv: readonly string[] }) => {
          left = left.filter((path) => path !== argv.at(-1));
          return {};
        },
      },
    });
    // The folder itself stays mounted: those mounts lie below it.
    expect(lines.filter((line) => line.startsWith('umount'))).toEqual(
      kubelets
        .slice(1)
        .toReversed()
        .map((path) => `umount ${path}`),
    );
    expect(leftovers).toMatchObject([{ what: 'mount /var/lib/kubelet' }]);
    expect(leftovers[0]?.why).toContain('/var/lib/kubelet/pods, which is not of the kubelet');
  });

  test('[004-SEC-15] a disk that was mounted for the kubelet before us stays mounted', async () => {
    const findmnt = { findmnt: { stdout: '/\n/var/lib/kubelet\n' } };
    const { lines, leftovers } = await undone({ before: findmnt, after: findmnt });
    expect(lines.join('\n')).not.toContain('umount');
    expect(leftovers).toEqual([]);
  });

  test('on a runtime that was there before, our sandboxes and images are removed, and its own stay', async () => {
    const list = (kind: string) =>
      `/usr/local/bin/ctr --address ${SOCKET} --namespace k8s.io ${kind} list --quiet`;
    const { lines, leftovers } = await undone({
      facts: { 'services.containerd.active-before': 'true', 'services.containerd.enabled-before': 'true' },
      before: {
        [list('containers')]: { stdout: 'theirs\n' },
        [list('images')]: { stdout: 'docker.io/theirs:1\n' },
      },
      after: {
        [list('containers')]: { stdout: 'theirs\nours-1\nours-2\n' },
        [list('images')]: { stdout: 'docker.io/theirs:1\nmcr.microsoft.com/pause:3.6\n' },
      },
      files: { [`${TASKS}/theirs/pid`]: '1' },
    });
    const acts = lines.filter((line) => line.includes('/ctr ')).map((line) => line.split('k8s.io ')[1]);
    expect(acts).toEqual([
      'tasks delete --force ours-1',
      'containers delete ours-1',
      'tasks delete --force ours-2',
      'containers delete ours-2',
      'images remove mcr.microsoft.com/pause:3.6',
    ]);
    expect(leftovers).toEqual([]);
  });

  test('network namespaces of other runtimes, which have the same kind of name, stay', async () => {
    const [theirs, ours] = ['a', 'b'].map((letter) => `cni-${letter.repeat(8)}-89ab-cdef-0123-456789abcdef`);
    const { lines } = await undone({
      beforeFiles: { [`/run/netns/${theirs}`]: '' },
      files: { [`/run/netns/${theirs}`]: '', [`/run/netns/${ours}`]: '' },
    });
    expect(lines.filter((line) => line.startsWith('ip netns'))).toEqual([`ip netns delete ${ours}`]);
  });

  test('[004-SEC-20] only chains that our pods added are removed, in one transaction', async () => {
    const { changed, lines } = await undone({
      before: { 'iptables-save -t nat': { stdout: BEFORE } },
      after: { 'iptables-save -t nat': { stdout: AFTER } },
      files: {
        '/sys/class/net/cni0/address': '',
        '/run/netns/cni-01234567-89ab-cdef-0123-456789abcdef': '',
        '/run/netns/theirs': '',
      },
    });
    const restore = changed.filter(({ argv }) => argv[0] === 'iptables-restore');
    expect(restore.map(({ argv, stdin }) => [argv.join(' '), stdin])).toEqual([
      [
        'iptables-restore --noflush',
        [
          '*nat',
          '-D POSTROUTING -s 10.244.0.2/32 -m comment --comment "name: \\"chandler-bridge\\" id: \\"2\\"" -j CNI-1111bbbb',
          '-F CNI-1111bbbb',
          '-X CNI-1111bbbb',
          'COMMIT',
          '',
        ].join('\n'),
      ],
    ]);
    expect(lines).toContain('ip link delete cni0');
    expect(lines.filter((line) => line.startsWith('ip netns'))).toEqual([
      'ip netns delete cni-01234567-89ab-cdef-0123-456789abcdef',
    ]);
    expect(lines.join('\n')).not.toMatch(/flush ruleset|iptables -F|nft flush/);
  });
});
