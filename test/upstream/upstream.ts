/** Upstream's planner as a long-lived process: one line of JSON in for each cluster, one line out. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { LabelRequirement } from '../../packages/chandler/src/scheduling/index.ts';
import type { UpstreamRequest } from './objects.ts';

/** What `request.go` writes. */
export interface UpstreamPlan {
  readonly claims: readonly UpstreamClaim[];
  readonly placements: readonly { readonly node: string; readonly pods: readonly string[] }[];
  readonly refusals: readonly { readonly pod: string; readonly reason: string }[];
}

export interface UpstreamClaim {
  readonly nodePool: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly requirements: readonly LabelRequirement[];
  readonly instanceTypes: readonly string[];
  readonly pods: readonly string[];
  readonly minValuesRelaxed: boolean;
}

export interface Upstream {
  /** @throws when upstream cannot plan the cluster, or its process has ended. */
  plans(request: UpstreamRequest): Promise<readonly UpstreamPlan[]>;
  close(): void;
}

export function startUpstream(binary: string): Upstream {
  const child = spawn(binary, [], { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting: { resolve(line: string): void; reject(error: Error): void }[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => waiting.shift()?.resolve(line));
  const end = (why: string) => {
    for (const { reject } of waiting.splice(0)) reject(new Error(why));
  };
  child.on('exit', (code, signal) => end(`upstream's process ended: ${signal ?? `exit code ${code}`}`));
  child.on('error', (error) => end(`upstream's process did not start: ${error.message}`));
  return {
    plans: async (request) => {
      const answered = new Promise<string>((resolve, reject) => waiting.push({ resolve, reject }));
      child.stdin.write(`${JSON.stringify(request)}\n`);
      return readAnswer(request.id, await answered);
    },
    close: () => child.stdin.end(),
  };
}

// ---------------------------------------------------------------------------------------------------

function readAnswer(id: number, line: string): readonly UpstreamPlan[] {
  const answer = JSON.parse(line) as { id: number; plans: UpstreamPlan[] | null; error?: string };
  if (answer.error !== undefined || answer.plans === null)
    throw new Error(`upstream cannot plan seed ${id}: ${answer.error}`);
  if (answer.id !== id) throw new Error(`upstream answered seed ${answer.id} instead of ${id}`);
  return answer.plans;
}
