/** Unbootstrap that cannot read the state of the machine, or runs a second time, keeps what belongs to the owner of the machine. */
import { describe, expect, test } from 'vitest';
import type { FakeHostOptions } from '../kubelet/fake-host.fixture.ts';
import { fakeContext, unitCommands } from '../kubelet/step-context.fixture.ts';
import { createStartServices } from './start-services.ts';
import { stopServices } from './stop-services.ts';

const step = createStartServices({ nodeToken: async () => 'token' });
const TASKS = '/run/containerd/io.containerd.runtime.v2.task/k8s.io';
const list = (kind: 'containers' | 'images') =>
  `/usr/local/bin/ctr --address /run/containerd/containerd.sock --namespace k8s.io ${kind} list --quiet`;
const RAN_BEFORE = {
  'services.containerd.active-before': 'true',
  'services.containerd.enabled-before': 'true',
  'services.kubelet.active-before': 'false',
  'services.kubelet.enabled-before': 'false',
};
const THEIRS = {
  'runtime.containers-before': '["theirs"]',
  'runtime.images-before': '["docker.io/theirs:1"]',
};
const linesOf = (context: ReturnType<typeof fakeContext>) =>
  context.host.changed.map(({ argv }) => argv.join(' '));

describe('a state that cannot be read', () => {
  test.each(['containers', 'images'] as const)(
    'bootstrap does not start the kubelet while the %s of the runtime cannot be listed',
    async (kind) => {
      const commands = { ...unitCommands(), [list(kind)]: { exitCode: 124 } };
      const context = fakeContext({ commands, facts: RAN_BEFORE });
      await expect(step.execute(context)).rejects.toMatchObject({
        facts: {
          code: 'containerd.list-failed',
          message: expect.stringContaining(`the ${kind} of containerd`),
        },
      });
      expect([...context.known.keys()].filter((fact) => fact.startsWith('runtime.'))).toEqual([]);
      expect(linesOf(context)).not.toContain('systemctl start kubelet.service');
    },
  );

  test('bootstrap does not start containerd while the mounts of the machine cannot be listed', async () => {
    const context = fakeContext({ commands: { ...unitCommands(), findmnt: { exitCode: 124 } } });
    await expect(step.execute(context)).rejects.toMatchObject({ facts: { code: 'mounts.list-failed' } });
    expect(context.known.has('mounts.kubelet-before')).toBe(false);
    expect(linesOf(context)).not.toContain('systemctl start containerd.service');
  });

  test('unbootstrap deletes no container and reports containerd if its containers cannot be listed', async () => {
    const commands = { ...unitCommands(), [list('containers')]: { exitCode: 124 } };
    const context = fakeContext({ commands, facts: { ...RAN_BEFORE, ...THEIRS } });
    expect(await step.undo(context)).toEqual([
      expect.objectContaining({ what: 'containers of containerd', why: expect.stringContaining('listed') }),
    ]);
    expect(linesOf(context).join('\n')).not.toContain('/usr/local/bin/ctr');
  });

  test('unbootstrap keeps the containers of a stopped containerd if bootstrap ended before the kubelet started', async () => {
    const commands = { ...unitCommands(), [list('containers')]: { exitCode: 124 } };
    const files = { [`${TASKS}/theirs/init.pid`]: '1' };
    const first = fakeContext({ commands, files });
    await expect(step.execute(first)).rejects.toMatchObject({ facts: { code: 'containerd.list-failed' } });
    const second = fakeContext({ commands, files, facts: Object.fromEntries(first.known) });
    expect(await step.undo(second)).toEqual([]);
    expect(linesOf(second).join('\n')).not.toMatch(/tasks delete|crictl/);
  });

  test('unbootstrap stops the services also if systemd does not report their state', async () => {
    const commands = { ...unitCommands(), 'systemctl is-active': { exitCode: 124 } };
    const context = fakeContext({ commands, facts: { 'services.kubelet.runs-with': 'files' } });
    await step.undo(context);
    expect(linesOf(context)).toContain('systemctl stop kubelet.service');
    expect(linesOf(context)).toContain('systemctl stop containerd.service');
  });

  test('unbootstrap does not stop the slice of pods if the kubelet of this node never started', async () => {
    const context = fakeContext({ commands: unitCommands(), facts: RAN_BEFORE });
    await step.undo(context);
    expect(linesOf(context)).not.toContain('systemctl stop kubepods.slice');
  });

  test.each([
    ['there were containers before bootstrap', { ...RAN_BEFORE, ...THEIRS }],
    ['it is not known which containers there were', { ...RAN_BEFORE, 'services.kubelet.runs-with': 'files' }],
    [
      'another kubelet ran before bootstrap',
      {
        'services.kubelet.active-before': 'true',
        'runtime.containers-before': '[]',
        'runtime.images-before': '[]',
      },
    ],
  ])('unbootstrap does not stop the slice of pods if %s', async (_, facts) => {
    const context = fakeContext({ commands: unitCommands(new Set(['containerd.service'])), facts });
    await step.undo(context);
    expect(linesOf(context)).not.toContain('systemctl stop kubepods.slice');
  });

  test('unbootstrap reports mounts that cannot be listed', async () => {
    const context = fakeContext({ commands: { ...unitCommands(), findmnt: { exitCode: 1 } } });
    expect(await step.undo(context)).toEqual([
      expect.objectContaining({ what: 'mounts below /var/lib/kubelet' }),
    ]);
  });

  test('firewall chains stay if those from before bootstrap could not be read', async () => {
    const running = new Set<string>();
    const first = fakeContext({
      commands: { ...unitCommands(running), 'iptables-save -t nat': { exitCode: 124 }, nft: { exitCode: 1 } },
    });
    await step.execute(first);
    const chain = '*nat\n:CNI-0000aaaa - [0:0]\nCOMMIT\n';
    const second = fakeContext({
      commands: {
        ...unitCommands(running),
        'iptables-save -t nat': { stdout: chain },
        nft: { stdout: 'table inet cni_plugins_masquerade\n' },
      },
      facts: Object.fromEntries(first.known),
    });
    await step.undo(second);
    expect(linesOf(second).filter((line) => /^(?:iptables|nft)/.test(line))).toEqual([]);
  });
});

describe('a second unbootstrap', () => {
  const disk = { findmnt: { stdout: '/\n/var/lib/kubelet\n' } };

  test('a disk that was mounted for the kubelet before bootstrap stays mounted', async () => {
    const commands = { ...unitCommands(), ...disk };
    const first = fakeContext({ commands });
    await step.execute(first);
    const files = { [`${TASKS}/abc/init.pid`]: '1' };
    const second = fakeContext({ commands, files, facts: Object.fromEntries(first.known) });
    expect(await step.undo(second)).toHaveLength(1);
    const third = fakeContext({ commands, facts: Object.fromEntries(second.known) });
    expect(await step.undo(third)).toEqual([]);
    expect([...linesOf(second), ...linesOf(third)].join('\n')).not.toContain('umount');
  });

  test.each([
    ['yes', '/var/lib/kubelet', []],
    ['no', '/var/lib/kubelet', ['umount /var/lib/kubelet']],
    ['[]', '/var/lib/kubelet', ['umount /var/lib/kubelet']],
    ['["/var/lib/kubelet"]', '/var/lib/kubelet', []],
    // The kubelet never mounts anything there.
    ['[]', '/var/lib/kubelet/pods', []],
  ])('a record %s of an earlier version is understood', async (record, mount, expected) => {
    const facts = { ...RAN_BEFORE, 'mounts.kubelet-before': record };
    const commands = { ...unitCommands(), findmnt: { stdout: `/\n${mount}\n` }, umount: {} };
    const context = fakeContext({ commands, facts });
    await step.undo(context);
    expect(linesOf(context).filter((line) => line.startsWith('umount'))).toEqual(expected);
  });

  test('containers that were there before bootstrap stay after an interrupted unbootstrap', async () => {
    const commands: FakeHostOptions['commands'] = {
      ...unitCommands(new Set(['containerd.service'])),
      [list('containers')]: { stdout: 'theirs\n' },
      [list('images')]: { stdout: 'docker.io/theirs:1\n' },
    };
    const facts = { ...RAN_BEFORE, 'services.containerd.active-before': 'false', ...THEIRS };
    const files = { [`${TASKS}/theirs/init.pid`]: '1' };
    const first = fakeContext({ commands, files, facts });
    expect(await step.undo(first)).toEqual([]);
    const second = fakeContext({ commands, files, facts: Object.fromEntries(first.known) });
    expect(await step.undo(second)).toEqual([]);
    expect([...linesOf(first), ...linesOf(second)].join('\n')).not.toMatch(
      /tasks delete|crictl|images remove/,
    );
  });

  test('it changes nothing after the services from before bootstrap were started again', async () => {
    const commands = {
      ...unitCommands(new Set(['containerd.service', 'kubelet.service'])),
      findmnt: { stdout: '/\n/var/lib/kubelet\n/var/lib/kubelet/pods/1/volumes/a\n' },
    };
    const facts = { ...RAN_BEFORE, 'services.kubelet.active-before': 'true', 'services.returned': 'yes' };
    const context = fakeContext({ commands, facts, files: { [`${TASKS}/live/init.pid`]: '1' } });
    expect(await step.undo(context)).toEqual([]);
    expect(linesOf(context)).toEqual([]);
  });

  test('containers that were there before bootstrap are not reported as leftovers', async () => {
    const facts = {
      ...RAN_BEFORE,
      'services.containerd.active-before': 'false',
      ...THEIRS,
      'services.returned': 'yes',
    };
    const files = { [`${TASKS}/theirs/init.pid`]: '1', [`${TASKS}/ours/init.pid`]: '1' };
    const context = fakeContext({ commands: { ...unitCommands(), ...disk }, facts, files });
    expect((await step.undo(context)).map(({ what }) => what)).toContain('container ours');
    expect((await step.undo(context)).map(({ what }) => what)).not.toContain('container theirs');
  });
});

test.each([
  ['with step 2', true],
  ['without step 2', false],
])(
  'a bootstrap after an incomplete unbootstrap records the state of the machine again, %s',
  async (_, stopsFirst) => {
    const theirs = 'cni-01234567-89ab-cdef-0123-456789abcdef';
    const context = fakeContext({
      commands: {
        ...unitCommands(),
        findmnt: { stdout: '/\n/var/lib/kubelet\n' },
        [list('containers')]: { stdout: 'theirs\n' },
        [list('images')]: { stdout: 'docker.io/theirs:1\n' },
        'iptables-save -t nat': { stdout: ':CNI-0000aaaa - [0:0]\n' },
      },
      files: { [`/run/netns/${theirs}`]: '' },
      facts: {
        'services.returned': 'yes',
        'mounts.kubelet-before': 'no',
        'runtime.containers-before': '[]',
        'runtime.images-before': '[]',
        'network.namespaces-before': '',
        'network.bridge-before': 'no',
        'network.nft-before': 'no',
        'network.chains-before': '',
      },
    });
    if (stopsFirst) await stopServices.execute(context);
    await step.execute(context);
    expect(Object.fromEntries(context.known)).toMatchObject({
      'mounts.kubelet-before': JSON.stringify({
        folders: ['/var/lib/kubelet', '/var/lib/kubelet/pods', '/var/lib/kubelet/plugins'],
        mounts: ['/var/lib/kubelet'],
      }),
      'network.namespaces-before': theirs,
      'network.chains-before': 'iptables/nat/CNI-0000aaaa',
      ...THEIRS,
    });
  },
);
