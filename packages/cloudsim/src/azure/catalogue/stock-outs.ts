/**
 * What Azure is out of, as data: one size or all, one zone or the whole region, spot or all. Each row is a fault of the
 * compute provider, which is triggered when such a VM is requested.
 */
import type { FaultSpec } from '../faults/fault.ts';

export interface StockOut {
  /** `Standard_D4s_v5`, `Standard_D*`; default: every size. */
  readonly size?: string;
  /** `1`, `2` or `3`; default: every zone, and VMs without one. */
  readonly zone?: string;
  /** Default: both. */
  readonly capacity?: 'spot' | 'on-demand';
  /** No capacity in the zone or region (default), size not available, or not with this combination of constraints. */
  readonly because?: 'full' | 'not-sold' | 'overconstrained';
}

/** The faults to add. Azure has separate codes for a zone and a region without capacity. */
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
      // Without a zone named, zonal VMs get the error of the zone and the others that of the region.
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
/** The value by which faults select VMs without a zone. */
const REGIONAL = '0';
