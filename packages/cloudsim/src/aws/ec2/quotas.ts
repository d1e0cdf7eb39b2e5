/** Service quotas of vCPUs: one for each group of instance families, on-demand and spot apart. */
import type { OfferedType } from '../catalogue/catalogue.ts';
import type { AwsContext } from '../context.ts';
import { ec2Error } from '../wire/errors.ts';

/** As Service Quotas groups instance families. */
export type QuotaGroup = 'standard' | 'g' | 'p' | 'f' | 'x' | 'inf' | 'trn' | 'dl' | 'high-memory' | 'hpc';

export interface QuotaLimits {
  readonly onDemand?: Readonly<Partial<Record<QuotaGroup, number>>>;
  readonly spot?: Readonly<Partial<Record<QuotaGroup, number>>>;
}

export class Quotas {
  readonly #context: Pick<AwsContext, 'account' | 'catalogue'>;
  /** May be changed at any time. No number: no limit. */
  limits: QuotaLimits;

  constructor(context: Pick<AwsContext, 'account' | 'catalogue'>, limits: QuotaLimits = {}) {
    this.#context = context;
    this.limits = limits;
  }

  require(type: OfferedType, spot: boolean): void {
    const group = groupOf(type.name);
    const limit = (spot ? this.limits.spot : this.limits.onDemand)?.[group];
    if (limit === undefined || this.#used(group, spot) + type.vCpus <= limit) return;
    if (spot) throw ec2Error('MaxSpotInstanceCountExceeded', 'Max spot instance count exceeded');
    throw ec2Error(
      'VcpuLimitExceeded',
      `You have requested more vCPU capacity than your current vCPU limit of ${limit} allows for the instance bucket that the ` +
        'specified instance type belongs to. Please visit http://aws.amazon.com/contact-us/ec2-request to request an adjustment to this limit.',
    );
  }

  #used(group: QuotaGroup, spot: boolean): number {
    let used = 0;
    for (const instance of this.#context.account.active())
      if (instance.spot === spot && groupOf(instance.type) === group)
        used += this.#context.catalogue.find(instance.type)?.vCpus ?? 0;
    return used;
  }
}

export function groupOf(type: string): QuotaGroup {
  const family = /^[a-z]+(?=[-\d])/.exec(type)?.[0] ?? '';
  if (family === 'g' || family === 'vt' || family === 'gr') return 'g';
  if (family === 'u') return 'high-memory';
  const own = (['p', 'f', 'x', 'inf', 'trn', 'dl', 'hpc'] as const).find((each) => each === family);
  return own ?? 'standard';
}
