/** Loaded on first use: `chandler --help` must not load an SDK. */
export { fromIni } from '@aws-sdk/credential-provider-ini';
