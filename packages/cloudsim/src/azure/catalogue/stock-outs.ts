/**
 * What Azure is out of, as data: a size or all of them, a zone or the whole region, spot or all. Each row is a fault of
 * the compute provider, which strikes when such a VM is asked for.
 */
import type { FaultSpec } from '../faults/fault.ts';

export interface StockOut {
  /** `Standard_D4s_v5`, `Standard_D*`; default: every size. */
  readonly size?: string;
  /** `1`, `2` or `3`; default: every zone, and VMs without one. */
  readonly zone?: string;
  /** Default: both. */
  readonly capacity?: 'spot' | 'on-demand';
  /** The zone or region has no room now (default), the size is not to be had at all, or not with these wishes together. */
  readonly because?: 'full' | 'not-sold' | 'overconstrained';
}

/** The faults to add. A zone that is full, a region that is full: Azure has a code for each. */
export function stockOutFaults(row: StockOut): readonly FaultSpec[] {
  const zonal = row.zone !== undefined;
  const where: Omit<FaultSpec, 'name'> = {
    ...(row.size === undefined ? {} : { size: row.size }),
    ...(row.zone === undefined ? {} : { zone: row.zone }),
    ...(row.capacity === undefined ? {} : { capacity: row.capacity }),
  };
  switch (row.because ?? 'full') {
    case 'not-sold':
      return [{ ...where, name: 'sku-not-available' }];
    case 'overconstrained':
      return [{ ...where, name: zonal ? 'overconstrained-zonal' : 'overconstrained' }];
    default:
      // Without a zone named, VMs in zones meet the zone's error and the others the region's.
      return zonal
        ? [{ ...where, name: 'zonal-allocation' }]
        : [
            ...ZONES.map((zone) => ({ ...where, zone, name: 'zonal-allocation' })),
            { ...where, zone: REGIONAL, name: 'allocation' },
          ];
  }
}

// ---------------------------------------------------------------------------------------------------

const ZONES = ['1', '2', '3'];
/** How faults call VMs without a zone. */
const REGIONAL = '0';
