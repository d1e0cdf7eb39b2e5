/** A whole operator on the playground's Azure, in virtual time, with a pod that wants a node: what `kubectl` would show. */
import { EVENTS, type KubeObject, PODS } from '@chandler/kube';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import type { Operator } from '../../packages/chandler/src/operator/index.ts';
import type { Environment } from '../../packages/chandler/src/settings/index.ts';

import { NODE_CLASS, pod, pool } from '../controllers/stage.ts';
import { type AzureStage, azureStage, FEW_SIZES } from '../operator/azure-stage.ts';

export interface Shown {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

export interface Told {
  readonly on: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

export interface CseScene {
  readonly stage: AzureStage;
  readonly operator: Operator;
  claims(): Promise<readonly KubeObject[]>;
  /** The first claim that carries it. */
  condition(status: string): Promise<(Shown & { readonly claim: KubeObject }) | undefined>;
  /** Warnings `CSEFailed`, as `Kind/name`. */
  events(): Promise<readonly Told[]>;
  /** Moves on until a claim says how its bootstrap went. */
  untilSaid(status: string, withinMs?: number): Promise<Shown & { readonly claim: KubeObject }>;
  /** By labels `code="50"`. */
  counted(...labels: readonly string[]): number;
}

export type Mode = 'aksscriptless' | 'bootstrappingclient';

export interface SceneOptions {
  readonly mode: Mode;
  readonly faults?: readonly string[];
  readonly env?: Environment;
  readonly pool?: Record<string, unknown>;
  readonly pods?: number;
  readonly nodeClass?: Record<string, unknown>;
  /** Before anything is asked of Azure. */
  readonly prepare?: (stage: AzureStage) => void;
}

export async function cseScene(options: SceneOptions): Promise<CseScene> {
  const stage = await azureStage(FEW_SIZES);
  options.prepare?.(stage);
  for (const fault of options.faults ?? []) stage.arm.faults.add(fault);
  const operator = stage.operator({ env: { PROVISION_MODE: options.mode, ...options.env } });
  await stage.inTime(operator.start());
  await stage.apply(AKS_NODE_CLASSES, { ...NODE_CLASS, spec: options.nodeClass ?? {} });
  await stage.apply(NODE_POOLS, pool('general', options.pool));
  for (let index = 0; index < (options.pods ?? 1); index++) await stage.apply(PODS, pod(`p${index}`));
  return sceneOn(stage, operator);
}

export function conditionOf(object: KubeObject, type: string): Shown | undefined {
  const status = object['status'] as { readonly conditions?: readonly Shown[] } | undefined;
  return status?.conditions?.find((each) => each.type === type);
}

// ---------------------------------------------------------------------------------------------------

function sceneOn(stage: AzureStage, operator: Operator): CseScene {
  const scene: CseScene = {
    stage,
    operator,
    claims: () => stage.list(NODE_CLAIMS),
    async condition(status) {
      for (const claim of await scene.claims()) {
        const shown = conditionOf(claim, 'CSEProvisioned');
        if (shown?.status === status) return { ...shown, claim };
      }
      return undefined;
    },
    events: async () =>
      (await stage.list(EVENTS))
        .filter((event) => event['reason'] === 'CSEFailed')
        .map((event) => {
          const { kind, name } = event['involvedObject'] as { kind: string; name: string };
          return {
            on: `${kind}/${name}`,
            type: String(event['type']),
            reason: String(event['reason']),
            message: String(event['message']),
          };
        }),
    async untilSaid(status, withinMs) {
      await stage.until(
        `a claim says CSEProvisioned=${status}`,
        async () => (await scene.condition(status)) !== undefined,
        withinMs,
      );
      return (await scene.condition(status))!;
    },
    counted: (...labels) =>
      [...stage.world.values]
        .filter(
          ([key]) =>
            key.startsWith('chandler_cse_failures_total{') && labels.every((label) => key.includes(label)),
        )
        .reduce((sum, [, value]) => sum + value, 0),
  };
  return scene;
}
