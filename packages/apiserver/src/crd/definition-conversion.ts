/** How objects are converted between versions: only `None` is carried out here, a webhook is merely checked. */
import type { FieldErrors } from '../builtin/validation/field-errors.ts';
import { dns1035Name } from '../builtin/validation/names.ts';
import { parseRequestUrl } from '../cel/library/request-url.ts';
import type { CrdSpec, CrdWebhook } from './types.ts';

export function checkConversion(conversion: CrdSpec['conversion'], errors: FieldErrors): void {
  if (conversion === undefined) return;
  errors.oneOf('spec.conversion.strategy', conversion.strategy, ['None', 'Webhook']);
  const { webhook } = conversion;
  if (conversion.strategy === 'Webhook') {
    checkClient(webhook?.clientConfig, errors);
    checkReviewVersions(webhook?.conversionReviewVersions ?? [], errors);
    return;
  }
  const why = 'should not be set when strategy is not set to Webhook';
  if (webhook?.clientConfig !== undefined) errors.forbidden(CLIENT, why);
  if ((webhook?.conversionReviewVersions ?? []).length > 0) errors.forbidden(VERSIONS, why);
}

// ---------------------------------------------------------------------------------------------------

const CLIENT = 'spec.conversion.webhookClientConfig';
const VERSIONS = 'spec.conversion.conversionReviewVersions';
const ACCEPTED = ['v1', 'v1beta1'];

function checkClient(client: CrdWebhook['clientConfig'], errors: FieldErrors): void {
  if (client === undefined) {
    errors.required(CLIENT, 'required when strategy is set to Webhook');
    return;
  }
  if ((client.url === undefined) === (client.service === undefined)) {
    errors.required(CLIENT, 'exactly one of url or service is required');
    return;
  }
  if (client.url !== undefined) {
    checkUrl(client.url, errors);
    return;
  }
  for (const field of ['name', 'namespace']) {
    if (!client.service?.[field])
      errors.required(`${CLIENT}.service.${field}`, `service ${field} is required`);
  }
}

function checkUrl(text: string, errors: FieldErrors): void {
  const form = '; desired format: https://host[/path]';
  const url = parseRequestUrl(text);
  if (typeof url === 'string') {
    errors.required(`${CLIENT}.url`, `url must be a valid URL: ${url}${form}`);
    return;
  }
  if (url.scheme !== 'https')
    errors.invalid(`${CLIENT}.url`, url.scheme, `'https' is the only allowed URL scheme${form}`);
  if (url.host === '') errors.invalid(`${CLIENT}.url`, url.host, `host must be specified${form}`);
}

function checkReviewVersions(versions: readonly string[], errors: FieldErrors): void {
  if (versions.length === 0) {
    errors.required(VERSIONS);
    return;
  }
  versions.forEach((version, index) => {
    const at = `${VERSIONS}[${index}]`;
    if (versions.indexOf(version) < index) errors.invalid(at, version, 'duplicate version');
    else errors.invalidFor(at, version, dns1035Name(version));
  });
  if (!versions.some((version) => ACCEPTED.includes(version))) {
    errors.invalid(VERSIONS, versions, `must include at least one of ${ACCEPTED.join(', ')}`);
  }
}
