/** Who we are to AWS, as those who send requests see it. Where credentials come from is decided elsewhere. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** Who we are to AWS. */
export interface AwsCredentialSource {
  /** From a cache, or fetched. @throws {AwsError} with NO_CREDENTIALS, or the reason of the signal. */
  get(signal?: AbortSignal): Promise<AwsCredentials>;
  /** AWS refused what `get` returned: the next one is fetched again. */
  invalidate(): void;
}

/** The same for ever. */
export function fixedCredentials(credentials: AwsCredentials): AwsCredentialSource {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const given = { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
  return { get: async () => given, invalidate() {} };
}
