/** One run of the playground, from the first server to the last file: who is started when, and who is ended in which order. */
import { fetchTransport, KubeClient, type World } from '@chandler/kube';
import {
  DEFAULT_NODE_CLASS,
  DEFAULT_NODE_POOL,
  ensureObject,
  type Playground,
  type PlaygroundFiles,
  type PlaygroundOptions,
  removeFiles,
  type Story,
  type StoryEnd,
  startPlayground,
  writeFiles,
} from '../../playground/index.ts';
import { EXIT_FAILURE, EXIT_OK, type Terminal } from '../verb.ts';
import { Display } from './display.ts';
import { startFailure, stopFailure } from './failures.ts';
import { fasterClock } from './faster-clock.ts';

import type { ScreenOutput } from './screen.ts';
import { Supervisor } from './supervisor.ts';
import { type Facts, goodbye, readyLine, storyEnd, welcome } from './words.ts';

export interface SessionRequest {
  readonly world: World;
  readonly terminal: Terminal;
  readonly interrupted: AbortSignal;
  readonly port: number;
  readonly host: string;
  readonly kubeconfig: string;
  readonly nodes: number;
  readonly bare: boolean;
  readonly azure: PlaygroundOptions['azure'];
  readonly controller: boolean;
  readonly story: Story | undefined;
  /** Stop when the story is over. */
  readonly once: boolean;
  readonly speed: number;
  readonly snapshot: string | undefined;
  readonly output: 'text' | 'json';
  readonly screen: ScreenOutput | undefined;
}

/** Runs until it is interrupted, or its story is over; gives the exit code. */
export async function runSession(request: SessionRequest): Promise<number> {
  const { terminal, output, screen, speed, story, interrupted } = request;
  const clock = fasterClock(request.world.clock, speed);
  const display = new Display({ terminal, output, screen, readersClock: request.world.clock, speed });
  const world: World = { ...request.world, clock, log: display.log(request.world.log, clock) };
  const running = await start(request, world);
  const content = running.server.kubeconfig;
  const files = await writeFiles(running, request.kubeconfig).catch(async (error: unknown) => {
    await running.stop();
    throw error;
  });
  let supervisor: Supervisor | undefined;
  let end: StoryEnd | undefined;
  const ends = new AbortController();
  try {
    if (request.controller) await seed(running);
    sayReady(request, running, files);
    if (!request.bare) display.open({ world, running, kubeconfig: files.kubeconfig });
    if (request.controller) {
      const args = story?.controllerArgs ?? [];
      supervisor = new Supervisor({ world, running, files, display, speed, args });
    }
    const told =
      story === undefined
        ? undefined
        : tell(story, { world, running, display, supervisor, ends, once: request.once });
    end = await Promise.race([aborted(interrupted), ...(told && request.once ? [told] : [])]);
    return end === undefined || end.end === 'told' ? EXIT_OK : EXIT_FAILURE;
  } finally {
    ends.abort(new Error('the playground ends'));
    await display.close();
    // The view took its page with it.
    if (end !== undefined && screen !== undefined) terminal.err(storyEnd(end));
    if (output === 'text') terminal.err(goodbye(request.snapshot));
    await removeFiles(files, content);
    await supervisor?.stop();
    await running.stop().catch((error: unknown) => {
      throw stopFailure(error);
    });
  }
}

// ---------------------------------------------------------------------------------------------------

const TOKEN_LIFE_MS = 24 * 3600_000;

async function start(request: SessionRequest, world: World): Promise<Playground> {
  const { port, host, nodes, bare, azure, controller, snapshot, speed } = request;
  try {
    return await startPlayground({
      world,
      port,
      host,
      systemNodes: nodes,
      standins: !bare,
      systemTaint: controller,
      // The library that asks for tokens knows only the real time, and must not keep one for too long.
      azure: azure && { ...azure, server: { tokenLifetimeMs: TOKEN_LIFE_MS * Math.max(1, speed) } },
      ...(snapshot === undefined ? {} : { snapshotFile: snapshot }),
    } as PlaygroundOptions);
  } catch (error) {
    throw startFailure(error, { port, host });
  }
}

/** What a snapshot has brought along stays as it is. */
async function seed({ server }: Playground): Promise<void> {
  const client = new KubeClient({ transport: fetchTransport(server.adminFetch) });
  for (const object of [DEFAULT_NODE_CLASS, DEFAULT_NODE_POOL]) await ensureObject(client, object);
}

function sayReady(request: SessionRequest, running: Playground, files: PlaygroundFiles): void {
  const { terminal, output } = request;
  const facts: Facts = { ...request, running, files };
  terminal.out(output === 'json' ? readyLine(facts) : welcome(facts, terminal));
}

interface Telling {
  readonly world: World;
  readonly running: Playground;
  readonly display: Display;
  readonly supervisor: Supervisor | undefined;
  readonly ends: AbortController;
  readonly once: boolean;
}

async function tell(story: Story, telling: Telling): Promise<StoryEnd> {
  const { world, running, display, supervisor, ends, once } = telling;
  const say = (text: string, warning = false) => {
    display.story = `${story.name}: ${text}`;
    display.tell({ atMs: world.clock.now(), topic: 'story', text, ...(warning ? { warning } : {}) });
  };
  try {
    await supervisor?.leading;
  } catch (error) {
    const failed = { end: 'failed', step: 'the controller starts', why: String(error) } as const;
    say(`this did not come: ${failed.step} (${failed.why})`, true);
    return failed;
  }
  const { play } = await import('../../playground/index.ts');
  const end = await play(story, {
    world,
    client: new KubeClient({ transport: fetchTransport(running.server.adminFetch) }),
    azure: running.azure!,
    signal: ends.signal,
    tell: ({ step, steps, text }) => say(`${step}/${steps} ${text}`),
  });
  if (end.end === 'told')
    say(`the story is over, as it was told${once ? '' : '; all of it is still there to look at'}`);
  if (end.end === 'failed') say(`this did not come: ${end.step} (${end.why})`, true);
  return end;
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((done) => {
    if (signal.aborted) done(undefined);
    else signal.addEventListener('abort', () => done(undefined), { once: true });
  });
}
