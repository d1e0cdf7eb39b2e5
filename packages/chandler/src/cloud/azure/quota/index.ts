/** What the subscription may still use. */
export {
  type ComputeUsage,
  QUOTA_REFRESH_MS,
  QUOTA_RETRY_MS,
  QUOTA_TTL_MS,
  QuotaUsage,
  type QuotaUsageInput,
} from './quota-usage.ts';
