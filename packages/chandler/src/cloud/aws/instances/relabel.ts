/** An instance whose reservation has ended goes on as on-demand, at its price: its claim and node have to say so. */
import { AwsLabel, CapacityType, KarpenterLabel, type NodeClaim } from '../../../api/index.ts';

import type { InstanceFacts } from './instance-facts.ts';

/** Labels to set; those with null are removed. Nothing where the claim is right, or where EC2 has not shown the instance. */
export function reservedRelabel(
  { metadata }: Pick<NodeClaim, 'metadata'>,
  facts: InstanceFacts | undefined,
): Readonly<Record<string, string | null>> | undefined {
  const isReserved = metadata.labels?.[KarpenterLabel.capacityType] === CapacityType.reserved;
  // A pending instance may not show its reservation yet.
  if (!isReserved || facts?.state !== 'running' || facts.described === undefined) return undefined;
  if (facts.capacityType === CapacityType.reserved && facts.reservationId !== undefined) return undefined;
  return {
    [KarpenterLabel.capacityType]: CapacityType.onDemand,
    [AwsLabel.capacityReservationId]: null,
    [AwsLabel.capacityReservationType]: null,
    [AwsLabel.capacityReservationInterruptible]: null,
  };
}
