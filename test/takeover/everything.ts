/** Every object of a taken-over cluster with all it has, so that nothing may change unseen. */
import { type KubeObject, NODES, PODS, type ResourceRef } from '@chandler/kube';
import { NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import type { TakeoverStage } from './stage.ts';

export async function all(stage: TakeoverStage, resource: ResourceRef): Promise<readonly KubeObject[]> {
  return (await stage.inTime(stage.admin.list(resource))).items;
}

export async function everything(
  stage: TakeoverStage,
  nodeClasses: ResourceRef,
): Promise<ReadonlyMap<string, KubeObject>> {
  const kinds = [NODE_CLAIMS, NODES, NODE_POOLS, nodeClasses, PODS];
  const objects = (await Promise.all(kinds.map((kind) => all(stage, kind)))).flatMap((items, at) =>
    items.map((item) => [`${kinds[at]!.plural}/${item.metadata.name}`, item] as const),
  );
  return new Map(objects);
}

/** What operators wrote, events apart. */
export function writtenTo({ writes }: TakeoverStage): readonly string[] {
  return writes
    .filter(({ line }) => !/\/events(?:\/|$)/.test(line))
    .map(({ line, body }) => `${line} ${body}`);
}
