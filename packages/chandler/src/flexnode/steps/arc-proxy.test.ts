import { describe, expect, test } from 'vitest';
import { createFolderMachine } from '../../../../../test/flexnode/folder-machine.ts';
import {
  fixturesForTests,
  type IdentityFixture,
  takeStep,
} from '../../../../../test/flexnode/standins/identity-fixture.ts';
import { failure } from '../flex-error.fixture.ts';
import { createPlanningHost } from '../host/planning-host.ts';
import { arcStep } from './arc.ts';

const PROXY = 'http://proxy.example:3128';
const BEFORE = 'http://before.example:8080';

const fixture = fixturesForTests();
const withProxy = () => fixture({ config: { proxy: { https: PROXY } } });
const withoutProxy = (at: IdentityFixture): IdentityFixture => {
  const config = { ...at.config, proxy: { noProxy: [] } };
  return { ...at, config, context: { ...at.context, config } };
};
const bootstrap = (at: IdentityFixture) => takeStep(arcStep, at);

test('the agent gets the proxy, and unbootstrap restores its previous proxy', async () => {
  const at = withProxy();
  at.agent.proxy = BEFORE;
  await bootstrap(at);
  expect(at.agent.proxy).toBe(PROXY);
  await arcStep.undo(at.context);
  expect(at.agent.proxy).toBe(BEFORE);
});

describe('a proxy that is removed from the config', () => {
  test.each(['', BEFORE])('is replaced in the agent by the one before bootstrap (%j)', async (before) => {
    const at = withProxy();
    at.agent.proxy = before;
    await bootstrap(at);
    await bootstrap(withoutProxy(at));
    expect(at.agent.proxy).toBe(before);
  });

  test('is recorded anew when it is configured again', async () => {
    const at = withProxy();
    await bootstrap(at);
    await bootstrap(withoutProxy(at));
    at.agent.proxy = BEFORE;
    await bootstrap(at);
    expect(at.agent.proxy).toBe(PROXY);
    await arcStep.undo(at.context);
    expect(at.agent.proxy).toBe(BEFORE);
  });

  test('is removed by the next run if the run is killed before it, or before this is recorded', async () => {
    const at = withProxy();
    await bootstrap(at);
    const killed = async () => {
      throw new Error('killed');
    };
    const plain = withoutProxy(at);
    const run: typeof at.host.run = (command) =>
      command.argv.includes('clear') ? killed() : at.host.run(command);
    const early = { ...plain.context, host: { ...plain.context.host, run } };
    await expect(arcStep.execute(early)).rejects.toThrow('killed');
    expect(at.agent.proxy).toBe(PROXY);
    const late = { ...plain.context, facts: { ...plain.context.facts, delete: killed } };
    await expect(arcStep.execute(late)).rejects.toThrow('killed');
    await bootstrap(plain);
    expect(at.agent.proxy).toBe('');
  });

  test('does not touch the proxy of an agent that bootstrap did not set', async () => {
    const at = fixture();
    at.agent.proxy = BEFORE;
    await bootstrap(at);
    expect(at.agent.proxy).toBe(BEFORE);
  });

  test('is removed although the agent is offline because of it, and the agent is given time to connect', async () => {
    const at = withProxy();
    await bootstrap(at);
    at.agent.deadProxy = PROXY;
    at.agent.showsUntilHeartbeat = 20;
    expect(await arcStep.isCompleted(at.context)).toBe(false);
    const plain = withoutProxy(at);
    await bootstrap(plain);
    expect(at.agent.proxy).toBe('');
    expect(await arcStep.isCompleted(plain.context)).toBe(true);
  });

  test('is removed in a dry run that completes, although the agent is offline because of it', async () => {
    const at = withProxy();
    await bootstrap(at);
    at.agent.deadProxy = PROXY;
    const { context } = withoutProxy(at);
    const { host } = createPlanningHost(at.host);
    await arcStep.execute({ ...context, host: { ...context.host, ...host }, dryRun: true });
    expect(at.agent.proxy).toBe(PROXY);
  });

  test('is removed from the agent by a bootstrap of the whole machine', async () => {
    const machine = createFolderMachine();
    try {
      const proxy = { http: PROXY, noProxy: [] };
      expect((await machine.bootstrap({ config: await machine.configOf({ proxy }) })).error).toBeUndefined();
      expect((await machine.bootstrap({ config: await machine.configOf() })).error).toBeUndefined();
      const settings = machine.commands
        .map(({ argv }) => argv.join(' '))
        .filter((line) => /config (?:set|clear)/.test(line));
      expect(settings).toEqual([
        `azcmagent config set proxy.url ${PROXY}`,
        'azcmagent config clear proxy.url',
      ]);
    } finally {
      machine.dispose();
    }
  });
});

test('an agent that stays offline is reported with the proxy that it uses', async () => {
  const at = fixture();
  await bootstrap(at);
  at.agent.offline = true;
  at.agent.proxy = BEFORE;
  const { code, remedy } = await failure(bootstrap(at));
  expect(code).toBe('arc.offline');
  expect(remedy).toContain('azcmagent config get proxy.url');
});
