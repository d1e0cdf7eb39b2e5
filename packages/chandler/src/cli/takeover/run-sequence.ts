/** Runs a sequence for `chandler takeover start` and `back`: with its progress on standard error, and its result on standard output. */
import { confirmed } from '../confirm.ts';
import { type Call, EXIT_OK, Failure, type Terminal } from '../verb.ts';
import { keyOfDeployment } from './deployments.ts';
import { inTakeover, type OpenTakeover, type SharedValues } from './open-takeover.ts';
import { renderPlan } from './render-plan.ts';
import { handBack, takeOver } from './sequence.ts';
import type { SequenceOptions, SequenceResult } from './sequence-options.ts';
import { oneOf } from './side.ts';
import { planOf, type TakeoverPlan } from './takeover-plan.ts';

export interface RunRequest extends Pick<Call, 'env' | 'interrupted' | 'world' | 'terminal'> {
  readonly verb: 'start' | 'back';
  readonly values: SharedValues;
  readonly accepted: readonly string[];
  readonly asks: boolean;
  readonly settings: Pick<
    SequenceOptions,
    'timeoutMs' | 'verifyMs' | 'chandlerReplicas' | 'karpenterReplicas'
  >;
}

/** @throws {Failure} */
export function runSequence(request: RunRequest): Promise<number> {
  const { verb, terminal, interrupted, values } = request;
  return inTakeover(request, values, async (open) => {
    const plan = planOf(open.picture, request.accepted);
    const { karpenter, chandler, leases } = open.picture;
    const keys = { karpenter: oneOf(karpenter), chandler: oneOf(chandler) };
    refuse(verb, plan, terminal);
    if (keys.karpenter === undefined || keys.chandler === undefined || leases.karpenter === undefined)
      throw new Failure(blockersOf(plan));
    if (request.asks && !(await confirmed(question(verb, plan, open), interrupted)))
      throw new Failure('not confirmed; nothing was changed');
    const report = (line: string) => terminal.err(`takeover: ${line}\n`);
    const options: SequenceOptions = {
      ...request.settings,
      client: open.client,
      world: open.world,
      signal: interrupted,
      karpenter: keyOfDeployment(keys.karpenter),
      chandler: keyOfDeployment(keys.chandler),
      lease: leases.karpenter,
      report,
    };
    const result = await interruptible(() => (verb === 'start' ? takeOver(options) : handBack(options)), {
      interrupted,
      report,
    });
    terminal.out(
      values.output.value === 'json'
        ? `${JSON.stringify(result, null, 2)}\n`
        : `${OUTCOMES[result.outcome]}\n`,
    );
    return EXIT_OK;
  });
}

// ---------------------------------------------------------------------------------------------------

const OUTCOMES: Readonly<Record<SequenceResult['outcome'], string>> = {
  takenOver: 'Chandler has taken over. To hand back: chandler takeover back',
  handedBack: 'Karpenter leads again.',
  unchanged: 'Karpenter leads; there was nothing to hand back.',
};

/** A takeover that has begun is continued whatever the plan says; a hand-over needs only the two Deployments and one lease. */
function refuse(verb: 'start' | 'back', plan: TakeoverPlan, terminal: Terminal): void {
  const sameLease = plan.findings.filter(({ code }) => NEVER.includes(code));
  if (verb === 'start' && plan.record === undefined && !plan.ready) {
    terminal.err(renderPlan(plan));
    throw new Failure('the plan is not clean; nothing was changed');
  }
  if (sameLease.length > 0)
    throw new Failure(`${sameLease.map(({ message }) => message).join(' ')} Nothing was changed`);
}

/** With these both could lead, whatever has begun. */
const NEVER: readonly string[] = ['LeaseDiffers', 'LeaderElectionDisabled'];

function blockersOf({ findings }: TakeoverPlan): string {
  const texts = findings
    .filter(({ severity }) => severity === 'blocker')
    .map(({ message, fix }) => `${message} Fix: ${fix}`);
  return `${texts.join(' ')}; nothing was changed`;
}

function question(
  verb: 'start' | 'back',
  { karpenter, chandler }: TakeoverPlan,
  { host }: OpenTakeover,
): string {
  const [from, to] =
    verb === 'start'
      ? [`Karpenter (Deployment ${karpenter?.deployment})`, `Chandler (Deployment ${chandler?.deployment})`]
      : [`Chandler (Deployment ${chandler?.deployment})`, `Karpenter (Deployment ${karpenter?.deployment})`];
  return `On the cluster ${host}, this stops ${from}, waits until it is gone, and starts ${to}. Existing nodes are not changed.`;
}

async function interruptible<T>(
  work: () => Promise<T>,
  { interrupted, report }: { readonly interrupted: AbortSignal; report(line: string): void },
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (interrupted.aborted)
      report(
        'interrupted, and left as it is: "chandler takeover start" finishes the takeover, "chandler takeover back" undoes it',
      );
    throw error;
  }
}
