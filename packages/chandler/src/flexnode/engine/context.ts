/** The context of a step, and helpers of a run: timestamped events, and errors in one format. */
import { FlexError, type FlexErrorFacts } from '../flex-error.ts';
import { createOwningHost } from '../host/recording-host.ts';
import type { Step, StepContext } from '../step.ts';
import type { FlexEventBody, OnEvent } from './events.ts';
import type { Journal } from './journal.ts';
import type { Parts } from './parts.ts';
import { redact } from './redact.ts';

export interface RunOptions {
  readonly signal: AbortSignal;
  readonly on: OnEvent;
}

export type Voice = (body: FlexEventBody) => void;

export function voiceOf(parts: Pick<Parts, 'world'>, on: OnEvent): Voice {
  return (body) => on({ at: timestamp(parts), ...body });
}

export function timestamp(parts: Pick<Parts, 'world'>): string {
  return new Date(parts.world.clock.now()).toISOString();
}

export function stepContext(
  parts: Parts,
  step: Step,
  around: { readonly journal: Journal; readonly signal: AbortSignal; readonly tell: Voice },
): StepContext {
  const { journal, signal, tell } = around;
  const onKept = (path: string, copy: string) => tell({ type: 'kept', path, copy });
  return {
    world: parts.world,
    config: parts.config,
    host: createOwningHost({ base: parts.host, journal, step: step.id, onKept }),
    artifacts: parts.artifacts,
    azure: parts.azure,
    cluster: parts.cluster,
    facts: journal.facts,
    architecture: parts.architecture,
    self: parts.self,
    signal,
    dryRun: false,
    say: (message, fields) =>
      tell({ type: 'progress', step: step.id, message: redact(message), ...(fields ? { fields } : {}) }),
  };
}

/** Converts a thrown value to facts. An abort is reported as an interrupt, not as the failure that it caused. */
export function factsOf(error: unknown, signal: AbortSignal, step?: Step): FlexErrorFacts {
  const name = step === undefined ? '' : `${step.name}: `;
  if (signal.aborted) {
    return {
      class: 'signal',
      code: 'run.interrupted',
      message: `${name}Interrupted. The journal records the progress.`,
      remedy: 'Run the same command again. It resumes where it stopped.',
      cause: error,
    };
  }
  if (error instanceof FlexError) return { ...error.facts, message: redact(`${name}${error.facts.message}`) };
  return {
    class: 'step',
    code: 'run.unexpected',
    message: redact(`${name}${error instanceof Error ? error.message : String(error)}`),
    cause: error,
  };
}
