/** Quotas of vCPUs, where NodePools have a limit that they can be compared with. */
import type { Inputs } from '../inputs.ts';
import type { AccountReading } from './account-reading.ts';
import { STANDARD_QUOTAS } from './quota-codes.table.ts';

export async function readQuotas(reading: AccountReading, { manifests }: Inputs): Promise<void> {
  if (!manifests.some(({ kind }) => kind === 'NodePool')) return;
  await Promise.all(
    Object.values(STANDARD_QUOTAS).map(async (QuotaCode) => {
      const answer = await reading.ask('servicequotas:GetServiceQuota', (aws, options) =>
        aws.servicequotas.getServiceQuota({ ServiceCode: 'ec2', QuotaCode }, options),
      );
      const quota = 'found' in answer ? answer.found.Quota : undefined;
      if (quota?.Value === undefined) return;
      reading.add('servicequotas:GetServiceQuota', 'aws_servicequotas_service_quota', QuotaCode, {
        quota_code: QuotaCode,
        quota_name: quota.QuotaName,
        value: quota.Value,
      });
    }),
  );
}
