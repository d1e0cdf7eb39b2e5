/** What the page asks besides rows, answered with the parts of `why`, `plan` and `simulate` for one person: with whose rights, the transport knows. */
import {
  CONFIG_MAPS,
  isApiError,
  KubeClient,
  type KubeObject,
  PODS,
  type ResourceRef,
  type Transport,
  TransportError,
  turnsOf,
  type World,
} from '@chandler/kube';
import { NODE_CLAIMS } from '../../api/index.ts';
import {
  type DashboardQuestions,
  QuestionError,
  type ReadModel,
  sharedAnswer,
  type wire,
} from '../../dashboard/index.ts';
import { KEPT_JOURNEYS_NAME, type KeptClaim, type KeptCommand, readKept } from '../../diagnose/index.ts';
import type { Environment } from '../../settings/index.ts';
import { listHistory } from '../plan/history.ts';
import { runPlan } from '../plan/run-plan.ts';
import type { LiveOptions } from '../simulate/live.ts';
import { forbiddenText } from '../top/top-objects.ts';
import { Failure } from '../verb.ts';
import { ClaimAnswers } from './claims-answer.ts';
import { Explainer } from './explainer.ts';
import { objectAnswer } from './object-answer.ts';
import { pendingAnswer } from './pending-answer.ts';
import { savingsAnswer } from './savings-answer.ts';
import { timelineAnswer } from './timeline-answer.ts';
import { type WhatIfLimits, whatIfAnswer } from './what-if-answer.ts';

export interface QuestionParts {
  readonly model: ReadModel;
  /** To the API server, with the rights of who asks. It only reads. */
  readonly transport: Transport;
  readonly world: World;
  readonly env: Environment;
  readonly signal: AbortSignal;
  readonly catalogue: string | undefined;
  /** Whether objects of the kind may be listed. */
  mayRead(resource: ResourceRef): boolean;
  /** Work that reads and plans the whole cluster goes through it. @throws {QuestionError} where it is too much here. */
  heavy<T>(work: () => Promise<T>): Promise<T>;
  /** Explanations go through it. Undefined: the process has nothing else to do. */
  readonly limited?: <T>(work: () => Promise<T>) => Promise<T>;
  /** Undefined: the process has nothing else to do. */
  readonly whatIfLimits?: WhatIfLimits;
}

export function pageQuestions(parts: QuestionParts): DashboardQuestions {
  const { model, transport, world, signal, catalogue, heavy } = parts;
  const { clock } = world;
  const { sources } = model;
  const { limited } = parts;
  const explainer = new Explainer({
    transport,
    clock,
    signal,
    ...(limited === undefined ? {} : { limited }),
  });
  const claimAnswers = new ClaimAnswers(explainer, () => turnsOf(clock).pass());
  /** What is made of kept parts knows of no later changes than they. */
  const sequenced = async <T extends object>(
    make: () => Promise<T>,
    ...kept: readonly { readonly sequence: number }[]
  ): Promise<wire.Sequenced<T>> => {
    const sequence = Math.min(model.log.sequence, ...kept.map((each) => each.sequence));
    return { ...(await make()), sequence, epoch: model.log.epoch };
  };
  const commands = sharedAnswer(clock, HISTORY_MS, () =>
    sequenced(async () => ({ kept: await keptCommands(parts) })),
  );
  const failed = sharedAnswer(clock, HISTORY_MS, () =>
    sequenced(async () => ({ kept: await failedClaims(parts) })),
  );
  const pending = sharedAnswer(clock, SOON_MS, () =>
    sequenced(() => pendingAnswer(sources.pods?.pending() ?? [], explainer.forOneAnswer(), clock)),
  );
  const claims = sharedAnswer(clock, SOON_MS, async () => {
    const gone = await failed();
    return sequenced(() => claimAnswers.answer(sources.claims.values(), gone.kept, clock.now()), gone);
  });
  const savings = sharedAnswer(clock, PLAN_MS, async () => {
    const done = await commands();
    return sequenced(async () => {
      const atMs = clock.now();
      return savingsAnswer({
        report: await heavy(() => plan(parts)),
        pools: [...sources.pools.values()],
        commands: done.kept,
        lowerBoundPerHour: model.totals.lowerBoundPerHour,
        nowMs: atMs,
      });
    }, done);
  });
  const oneTimeline = oneByOne();
  return {
    pending: async () => needing(parts, PODS, pending),
    claims: async () => needing(parts, NODE_CLAIMS, claims),
    savings: async () => needing(parts, NODE_CLAIMS, savings),
    timeline: async (from, to) => {
      const toMs = to ?? clock.now();
      const fromMs = from ?? toMs - HOURS_MS;
      if (fromMs > toMs) throw new QuestionError(400, 'the timeline begins after its end');
      const { sequence } = model.log;
      const kept = {
        commands: await unlessUnreachable(commands()),
        failed: await unlessUnreachable(failed()),
      };
      const answer = await oneTimeline(() =>
        timelineAnswer(
          {
            ...kept,
            fromMs,
            toMs,
            events: sources.events.flatMap((store) => [...store.values()]),
            claims: [...sources.claims.values()],
            seen: model.history.all(),
            prices: model.prices.between(fromMs, toMs),
          },
          clock,
        ),
      );
      return { ...answer, sequence, epoch: model.log.epoch };
    },
    object: (subject) =>
      sequenced(() =>
        objectAnswer(subject, {
          transport,
          signal,
          sources,
          explainer,
          failed: async () => (await failed()).kept,
        }),
      ),
    whatIf: (manifests, left) => {
      const live = { ...liveOf(parts), signal: AbortSignal.any([signal, left]) };
      const { whatIfLimits: limits } = parts;
      const options = { live, catalogue, ...(limits === undefined ? {} : { limits }) };
      return needing(parts, PODS, () => heavy(() => whatIfAnswer(manifests, options)));
    },
  };
}

// ---------------------------------------------------------------------------------------------------

/** How long an answer is given again. */
const SOON_MS = 5_000;
const HISTORY_MS = 10_000;
/** A plan reads and plans the whole cluster. */
const PLAN_MS = 30_000;
/** The timeline where no window is asked for. */
const HOURS_MS = 6 * 3600_000;

/** @throws {QuestionError} if objects of the kind may not be read. */
async function needing<T>(
  { mayRead }: QuestionParts,
  resource: object,
  answer: () => Promise<T>,
): Promise<T> {
  if (!mayRead(resource as ResourceRef))
    throw new QuestionError(
      403,
      forbiddenText(resource as ResourceRef),
      'ask for a role that permits it, and start the page again',
    );
  return answer();
}

function liveOf({ env, world, signal, transport }: QuestionParts): LiveOptions {
  return { env, world, signal, transport };
}

async function plan(parts: QuestionParts) {
  const { world, catalogue } = parts;
  try {
    return await runPlan({
      files: [],
      readStandardInput: async () => '',
      live: liveOf(parts),
      catalogue,
      zones: [],
      atMs: world.clock.now(),
      scheduling: {},
      disruption: {},
      defaultConstraints: [],
      complain: () => undefined,
      pause: () => turnsOf(world.clock).pass(),
    });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new QuestionError(503, error.message);
  }
}

/** A queue: the next begins when the one before has ended. */
function oneByOne(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
}

/** None if they may not be read: `missing` says so. */
async function keptCommands({ transport, signal }: QuestionParts): Promise<readonly KeptCommand[]> {
  try {
    return await listHistory(transport, signal);
  } catch (error) {
    if (error instanceof Failure) return [];
    throw error;
  }
}

/** Of every namespace, as `why` reads them. */
async function failedClaims({ transport, signal }: QuestionParts): Promise<readonly KeptClaim[]> {
  const client = new KubeClient({ transport });
  const fieldSelector = `metadata.name=${KEPT_JOURNEYS_NAME}`;
  try {
    const { items } = await client.list<KubeObject>(CONFIG_MAPS, { fieldSelector, signal });
    return items
      .flatMap((item) => Object.values((item['data'] ?? {}) as Readonly<Record<string, string>>))
      .flatMap((text) => readKept(text) ?? []);
  } catch (error) {
    if (isApiError(error, 'forbidden')) return [];
    throw error;
  }
}

/** The timeline has the rest while the API server gives no answer; that it gives none is said by `missing`. */
async function unlessUnreachable<T>(
  reading: Promise<{ readonly kept: readonly T[] }>,
): Promise<readonly T[]> {
  try {
    return (await reading).kept;
  } catch (error) {
    if (isApiError(error) || error instanceof TransportError) return [];
    throw error;
  }
}
