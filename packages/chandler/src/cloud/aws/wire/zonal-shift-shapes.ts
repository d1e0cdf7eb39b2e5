/**
 * GetManagedResource of ARC zonal shift, as its API reference documents it (docs.aws.amazon.com/arc-zonal-shift/latest/api). Members may be missing:
 * who reads an answer checks it.
 */
export interface GetManagedResourceInput {
  /** The ARN. */
  readonly resourceIdentifier: string;
}

export interface GetManagedResourceOutput {
  readonly arn?: string;
  readonly name?: string;
  /** 1 or 0 by zone. */
  readonly appliedWeights?: Readonly<Record<string, number>>;
  /** Those that somebody started, and practice runs. Required. */
  readonly zonalShifts?: readonly ZonalShiftInResource[];
  /** Those that AWS started. */
  readonly autoshifts?: readonly AutoshiftInResource[];
  readonly zonalAutoshiftStatus?: 'ENABLED' | 'DISABLED';
}

export interface ZonalShiftInResource {
  /** The ID of a zone: `use1-az1`. */
  readonly awayFrom?: string;
  /** Of several, one applies. */
  readonly appliedStatus?: 'APPLIED' | 'NOT_APPLIED';
  /** Seconds since the epoch. */
  readonly startTime?: number;
  readonly expiryTime?: number;
  readonly zonalShiftId?: string;
}

export interface AutoshiftInResource {
  readonly awayFrom?: string;
  readonly appliedStatus?: 'APPLIED' | 'NOT_APPLIED';
  readonly startTime?: number;
}
