/**
 * A dry run: the same steps in the same order, on a host that only records. The result is a list of files (as diffs),
 * commands, downloads and Azure operations per step. Nothing is changed.
 */
import { createDryRunArtifacts, unpinnedFile } from '../artifacts/dry-run-artifacts.ts';
import type { ClusterClient } from '../azure/cluster-client.ts';
import { createDryRunAzureClient, createDryRunClusterClient } from '../azure/dry-run-clients.ts';
import { FlexError, type FlexErrorFacts } from '../flex-error.ts';
import { createPlanningHost, type PlannedEffect } from '../host/planning-host.ts';
import type { Facts, OwningHost, Phase, Step, StepContext, StepId } from '../step.ts';
import { factsOf } from './context.ts';
import { type Journal, openJournal } from './journal.ts';
import { checkSelection, isSelected, type Selection, type StepStatus, stepStatus } from './order.ts';
import type { Parts } from './parts.ts';

export interface PlannedStep {
  readonly step: StepId;
  readonly name: string;
  readonly title: string;
  readonly phase: Phase;
  readonly status: 'to-do' | 'done' | 'not-selected';
  /** Why it is to be done. */
  readonly why?: Exclude<StepStatus, { readonly done: true }>['why'];
  readonly effects: readonly PlannedEffect[];
  readonly downloads: readonly { readonly what: string; readonly from: string; readonly sha256: string }[];
  readonly azure: readonly string[];
  /** What the config lacks for this step: the run would stop here, the plan goes on. */
  readonly gaps: readonly FlexErrorFacts[];
  /** What would end the run here. */
  readonly problem?: FlexErrorFacts;
}

export interface Plan {
  readonly nodeName: string;
  readonly steps: readonly PlannedStep[];
  /** The problem that ends the plan, or its first gap. */
  readonly problem?: FlexErrorFacts;
}

export interface PlanOptions extends Selection {
  readonly signal: AbortSignal;
  /** Nothing is read from Azure. */
  readonly offline?: boolean;
}

export async function planBootstrap(parts: Parts, options: PlanOptions): Promise<Plan> {
  checkSelection(options);
  const journal = await openJournal(parts.host);
  const planning = createPlanningHost(parts.host);
  const asked: string[] = [];
  const downloads: Download[] = [];
  const gaps: FlexErrorFacts[] = [];
  const context = planningContext(parts, options, {
    host: planning.host,
    facts: memoryFacts(journal),
    note: (line) => void asked.push(line),
    onDownload: (download) => void downloads.push(download),
    onGap: (gap) => void gaps.push(gap),
  });
  const steps: PlannedStep[] = [];
  for (const step of parts.steps) {
    const look = { ...context, cluster: options.offline ? reassuring(context.cluster) : parts.cluster };
    const planned = await planStep(step, { look, act: context }, journal, isSelected(step, options));
    const effects = planning.take();
    const isToDo = planned.status === 'to-do';
    steps.push({
      ...planned,
      effects: isToDo ? effects : [],
      downloads: isToDo ? downloads.splice(0) : [],
      azure: isToDo ? asked.splice(0) : [],
      gaps: isToDo ? gaps.splice(0) : [],
    });
    downloads.length = 0;
    asked.length = 0;
    gaps.length = 0;
    if (planned.problem !== undefined) break;
  }
  const problem = steps.at(-1)?.problem ?? steps.flatMap((step) => step.gaps)[0];
  return { nodeName: parts.config.agent.nodeName, steps, ...(problem ? { problem } : {}) };
}

// ---------------------------------------------------------------------------------------------------

type Download = PlannedStep['downloads'][number];

function planningContext(
  parts: Parts,
  options: PlanOptions,
  to: {
    readonly host: OwningHost;
    readonly facts: Facts;
    readonly note: (line: string) => void;
    readonly onDownload: (download: Download) => void;
    readonly onGap: (gap: FlexErrorFacts) => void;
  },
): StepContext {
  const { config } = parts;
  const noted = createDryRunArtifacts({ config, say: () => undefined });
  return {
    world: parts.world,
    config,
    host: to.host,
    artifacts: {
      ...noted,
      obtain: async (request, host) => {
        const file = await noted.obtain(request, host).catch((error: unknown) => {
          if (!(error instanceof FlexError) || error.facts.code !== 'download.hash-unknown') throw error;
          to.onGap(error.facts);
          return unpinnedFile(request, config);
        });
        const what = `${request.kind} ${request.version} (${request.architecture})`;
        to.onDownload({ what, from: file.from, sha256: file.sha256 });
        return file;
      },
    },
    azure: createDryRunAzureClient({
      config,
      note: to.note,
      ...(options.offline ? {} : { real: parts.azure }),
    }),
    cluster: createDryRunClusterClient({ config, note: to.note }),
    facts: to.facts,
    architecture: parts.architecture,
    self: parts.self,
    signal: options.signal,
    dryRun: true,
    say: () => undefined,
  };
}

type StepPlan = Omit<PlannedStep, 'effects' | 'downloads' | 'azure' | 'gaps'>;

/** The status of a step is read from the real cluster, and validated against it; its changes are only recorded. */
interface Contexts {
  readonly look: StepContext;
  readonly act: StepContext;
}

/** The cluster is not called: the journal is assumed to be correct. */
function reassuring(cluster: ClusterClient): ClusterClient {
  return { ...cluster, node: async () => ({ ready: true }) };
}

async function planStep(
  step: Step,
  { look, act: context }: Contexts,
  journal: Journal,
  wanted: boolean,
): Promise<StepPlan> {
  const about = { step: step.id, name: step.name, title: step.title, phase: step.phase };
  if (!wanted) return { ...about, status: 'not-selected' };
  try {
    const status = await stepStatus(step, look, journal.state);
    if (status.done) return { ...about, status: 'done' };
    const toDo = { ...about, status: 'to-do', why: status.why } as const;
    try {
      await step.validate(look);
      await step.execute(context);
      return toDo;
    } catch (error) {
      if (!(error instanceof FlexError)) throw error;
      return { ...toDo, problem: factsOf(error, context.signal, step) };
    }
  } catch (error) {
    if (!(error instanceof FlexError)) throw error;
    return { ...about, status: 'to-do', problem: factsOf(error, context.signal, step) };
  }
}

function memoryFacts(journal: Journal): Facts {
  const facts = new Map(journal.state.facts);
  return {
    get: (key) => facts.get(key),
    set: async (key, value) => void facts.set(key, value),
    delete: async (key) => void facts.delete(key),
  };
}
