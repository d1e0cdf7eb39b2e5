/** Instance types as a launch needs them; those of `instance-types/` fit. */
import type { InstanceType, Offering } from '../../../scheduling/index.ts';

export interface LaunchOffering extends Offering {
  readonly zone: string;
  readonly capacityType: CapacityTypeName;
  /** Of the placement group of the class. */
  readonly partition?: string;
  /** Of capacity type `reserved`. */
  readonly capacityReservation?: ReservationKind & { readonly id: string };
}

export type CapacityTypeName = 'on-demand' | 'spot' | 'reserved';

export interface ReservationKind {
  readonly type: 'default' | 'capacity-block';
  readonly interruptible: boolean;
}

export interface LaunchType extends InstanceType {
  readonly offerings: readonly LaunchOffering[];
}

/** A full reservation is available, but cannot be launched. */
export function isLaunchable({ available, launchable }: LaunchOffering): boolean {
  return (launchable ?? available) !== false;
}

/** The same type with fewer offerings. */
export function withOfferings<T extends LaunchType>(type: T, offerings: readonly LaunchOffering[]): T {
  return offerings.length === type.offerings.length ? type : { ...type, offerings };
}

/** Infinite without an offering. */
export function lowestPrice({ offerings }: LaunchType): number {
  return offerings.reduce((lowest, { price }) => Math.min(lowest, price), Number.POSITIVE_INFINITY);
}
