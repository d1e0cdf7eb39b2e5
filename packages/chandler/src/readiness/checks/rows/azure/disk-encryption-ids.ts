/** The disk encryption sets of OS disks of nodes: the option of the controller, what AKSNodeClasses choose, and that of the cluster. */
import type { Scene } from '../../../azure/scenes.ts';
import { type ChosenId, chosenIds } from './subnet-ids.ts';

export const SET_OPTION = 'NODE_OSDISK_DISKENCRYPTIONSET_ID';

export function diskEncryptionSetIds(scene: Scene): readonly ChosenId[] {
  const own = chosenIds(scene, SET_OPTION, 'osDiskDiskEncryptionSetID');
  const { cluster, picture } = scene;
  if (own.length > 0 || cluster === undefined) return own;
  const text =
    cluster.field('diskEncryptionSet') === undefined ? undefined : cluster.text('diskEncryptionSet');
  return text === undefined || text === ''
    ? []
    : [
        {
          id: picture.expand(text),
          evidence: cluster.seen('diskEncryptionSet'),
          object: cluster.address,
          classes: [],
        },
      ];
}
