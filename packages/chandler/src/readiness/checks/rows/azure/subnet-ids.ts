/** The subnets that nodes are put in: the option of the controller, and what AKSNodeClasses choose instead. */
import { optionOf } from '../../../azure/helm-options.ts';
import { evidenceAt } from '../../../azure/objects.ts';
import type { Scene } from '../../../azure/scenes.ts';
import { symbolOf } from '../../../azure/symbols.ts';
import type { Manifest } from '../../../inputs/inputs.ts';
import type { Evidence } from '../../../model/finding.ts';
import { find, textAt } from '../../../model/tree.ts';
import { objectOf } from '../../judgements.ts';

export interface ChosenId {
  /** With symbols, as far as it is known. */
  readonly id: string;
  readonly evidence: Evidence;
  /** Who chooses it. */
  readonly object: string;
  /** Classes whose nodes it is for. */
  readonly classes: readonly Manifest[];
}

/** Those whose value is known. Without any, that of the cluster's first node pool. */
export function subnetIds(scene: Scene): readonly ChosenId[] {
  const { cluster, picture } = scene;
  const own = chosenIds(scene, 'VNET_SUBNET_ID', 'vnetSubnetID');
  if (own.length > 0 || cluster === undefined) return own;
  const text = cluster.field('subnet') === undefined ? undefined : cluster.text('subnet');
  return text === undefined
    ? []
    : [{ id: picture.expand(text), evidence: cluster.seen('subnet'), object: cluster.address, classes: [] }];
}

export function chosenIds(
  { releases, nodeClasses, picture }: Scene,
  env: string,
  field: string,
): readonly ChosenId[] {
  const others = nodeClasses.filter(({ tree }) => find(tree, 'spec', field) === undefined);
  const ofReleases = releases.flatMap((release) => {
    const { text, evidence } = optionOf(release, env);
    if (text === undefined || text === '') return [];
    return [{ id: picture.expand(text), evidence, object: release.origin, classes: others }];
  });
  const ofClasses = nodeClasses.flatMap((each) => {
    const tree = find(each.tree, 'spec', field);
    const text = symbolOf(tree);
    if (tree === undefined || text === undefined) return [];
    const evidence = evidenceAt(tree, each.source, `spec.${field}`, tree.at);
    return [{ id: picture.expand(text), evidence, object: objectOf(each), classes: [each] }];
  });
  return [...ofReleases, ...ofClasses];
}

export function maxPodsOf({ tree }: Manifest): number | undefined {
  const text = textAt(tree, 'spec', 'maxPods');
  return text === undefined || !/^\d+$/.test(text) ? undefined : Number(text);
}
