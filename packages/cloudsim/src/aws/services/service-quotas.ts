/** Service Quotas: those of vCPUs, as launches are measured by them (quotas.ts). */
import type { QuotaGroup, Quotas } from '../ec2/quotas.ts';
import type { Operation } from '../wire/aws-request.ts';
import { awsError } from '../wire/errors.ts';

export function quotaOperations(quotas: Quotas): readonly Operation[] {
  return [
    {
      service: 'servicequotas',
      action: 'GetServiceQuota',
      handle({ params }) {
        const row = CODES.find(({ code }) => code === params['QuotaCode']);
        if (params['ServiceCode'] !== 'ec2' || row === undefined)
          throw awsError(
            'NoSuchResourceException',
            'The request failed because the specified quota code does not exist.',
          );
        const limits = row.spot ? quotas.limits.spot : quotas.limits.onDemand;
        return {
          Quota: {
            ServiceCode: 'ec2',
            QuotaCode: row.code,
            QuotaName: row.name,
            Value: limits?.[row.group] ?? NO_LIMIT,
            Unit: 'None',
            Adjustable: true,
            GlobalQuota: false,
          },
        };
      },
    },
  ];
}

// ---------------------------------------------------------------------------------------------------

interface QuotaRow {
  readonly code: string;
  readonly name: string;
  readonly group: QuotaGroup;
  readonly spot: boolean;
}

const CODES: readonly QuotaRow[] = [
  {
    code: 'L-1216C47A',
    name: 'Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances',
    group: 'standard',
    spot: false,
  },
  {
    code: 'L-34B43A08',
    name: 'All Standard (A, C, D, H, I, M, R, T, Z) Spot Instance Requests',
    group: 'standard',
    spot: true,
  },
];

/** Of an account whose quotas nobody set here. */
const NO_LIMIT = 1_000_000;
