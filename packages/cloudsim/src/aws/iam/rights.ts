/** What a call needs: an action on a resource, with the values that conditions of policies may compare. */

export interface Right {
  /** `ec2:RunInstances`. */
  readonly action: string;
  /** ARN, or `*` where the action has no resources. */
  readonly resource: string;
  /** Condition keys of this request: `aws:RequestTag/team`, `ec2:CreateAction`. */
  readonly context?: Readonly<Record<string, string | readonly string[] | undefined>>;
}

export interface Tag {
  readonly Key?: string | undefined;
  readonly Value?: string | undefined;
}

/** Condition keys for tags that the request sets. */
export function requestTags(tags: readonly Tag[]): Record<string, string | readonly string[]> {
  if (tags.length === 0) return {};
  return {
    ...Object.fromEntries(tags.map(({ Key = '', Value = '' }) => [`aws:RequestTag/${Key}`, Value])),
    'aws:TagKeys': tags.map(({ Key = '' }) => Key),
  };
}

/** Condition keys for tags that the resource has. */
export function resourceTags(tags: readonly Tag[], service?: 'ec2' | 'iam'): Record<string, string> {
  return Object.fromEntries(
    tags.flatMap(({ Key = '', Value = '' }) => [
      [`aws:ResourceTag/${Key}`, Value],
      ...(service === undefined ? [] : [[`${service}:ResourceTag/${Key}`, Value]]),
    ]),
  );
}
