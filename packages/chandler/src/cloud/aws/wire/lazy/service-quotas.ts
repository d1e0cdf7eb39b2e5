/** Service Quotas, loaded on first use as the SDK clients are: `chandler --help` must not load a signer. */
import { restJsonClient, targetCommand } from '../rest-json-client.ts';

export const Client = restJsonClient('servicequotas');
export const GetServiceQuotaCommand = targetCommand('ServiceQuotasV20190624.GetServiceQuota');
