import { describe, expect, test } from 'vitest';
import { fakeHost } from '../kubelet/fake-host.fixture.ts';
import { fakeContext, unitCommands } from '../kubelet/step-context.fixture.ts';
import { unitState } from './services.ts';
import { stopServices } from './stop-services.ts';

const ACTIVE = { 'systemctl is-active': { stdout: 'active\n' } };
const ENABLED = { 'systemctl is-enabled': { stdout: 'enabled\n' } };

describe('the state of a unit', () => {
  test.each([
    ['active', 0, 'active\n', '', true],
    ['active', 3, 'inactive\n', '', false],
    ['active', 3, 'failed\n', '', false],
    ['active', 4, 'inactive\n', '', false],
    ['active', 3, 'unknown\n', '', false],
    ['active', 0, 'refreshing\n', '', true],
    ['enabled', 0, 'static\n', '', false],
    ['enabled', 1, 'masked\n', '', false],
    ['enabled', 4, 'not-found\n', '', false],
    ['enabled', 1, '', 'Failed to get unit file state for a.service: No such file or directory\n', false],
  ] as const)('%s: exit code %i with %j is an answer', async (what, exitCode, stdout, stderr, expected) => {
    const asked = what === 'active' ? 'systemctl is-active' : 'systemctl is-enabled';
    const host = fakeHost({ commands: { ...ACTIVE, ...ENABLED, [asked]: { exitCode, stdout, stderr } } });
    expect((await unitState(host, 'a.service'))[what]).toBe(expected);
  });

  test.each([
    ['is-active', 124, '', ''],
    ['is-active', 127, '', 'systemctl: command not found'],
    ['is-active', 128, '', ''],
    ['is-active', 1, '', 'Failed to connect to bus: No such file or directory'],
    ['is-enabled', 124, '', ''],
    ['is-enabled', 128, '', ''],
    ['is-enabled', 1, '', 'Failed to get unit file state for a.service: Connection timed out'],
    ['is-enabled', 1, '', 'Failed to connect to bus: No such file or directory'],
  ])('%s: exit code %i with %j and %j is no answer', async (asked, exitCode, stdout, stderr) => {
    const commands = { ...ACTIVE, ...ENABLED, [`systemctl ${asked}`]: { exitCode, stdout, stderr } };
    await expect(unitState(fakeHost({ commands }), 'a.service')).rejects.toMatchObject({
      facts: { class: 'step', code: exitCode === 127 ? 'systemd.missing' : 'systemd.no-answer' },
    });
  });

  test('that is not known is not recorded as the one before bootstrap', async () => {
    const commands = { ...unitCommands(), 'systemctl is-active': { exitCode: 124 } };
    const context = fakeContext({ commands });
    await expect(stopServices.execute(context)).rejects.toMatchObject({ facts: { class: 'step' } });
    expect([...context.known.keys()].filter((fact) => fact.startsWith('services.'))).toEqual([]);
  });
});
