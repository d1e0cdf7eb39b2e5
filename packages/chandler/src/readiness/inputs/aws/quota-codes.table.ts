/** Quotas of vCPUs of the families A, C, D, H, I, M, R, T and Z, as Service Quotas codes them. */
export const STANDARD_QUOTAS = { onDemand: 'L-1216C47A', spot: 'L-34B43A08' } as const;
