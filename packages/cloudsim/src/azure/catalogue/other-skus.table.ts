/**
 * What the resource SKUs API lists besides virtual VM sizes: kind, name, size, whether it is listed per zone.
 * Source: answers of the API (Microsoft.Compute/skus, 2021-07-01), 2026-08; a selection.
 */
export const OTHER_SKUS: readonly (readonly [
  resourceType: string,
  name: string,
  size: string,
  zonal: boolean,
])[] = [
  ['availabilitySets', 'Classic', '', false],
  ['availabilitySets', 'Aligned', '', false],
  ['disks', 'Standard_LRS', 'S4', true],
  ['disks', 'Standard_LRS', 'S10', true],
  ['disks', 'Standard_LRS', 'S30', true],
  ['disks', 'StandardSSD_LRS', 'E4', true],
  ['disks', 'StandardSSD_LRS', 'E10', true],
  ['disks', 'StandardSSD_LRS', 'E30', true],
  ['disks', 'StandardSSD_ZRS', 'E10', false],
  ['disks', 'Premium_LRS', 'P4', true],
  ['disks', 'Premium_LRS', 'P10', true],
  ['disks', 'Premium_LRS', 'P30', true],
  ['disks', 'Premium_ZRS', 'P10', false],
  ['disks', 'PremiumV2_LRS', 'P', true],
  ['disks', 'UltraSSD_LRS', 'U', true],
  ['hostGroups/hosts', 'Dsv3-Type1', '', true],
  ['hostGroups/hosts', 'Esv5-Type1', '', true],
  ['snapshots', 'Standard_LRS', '', false],
  ['snapshots', 'Premium_LRS', '', false],
  ['snapshots', 'Standard_ZRS', '', false],
];
