/** Secrets do not leak: not into the log, objects, events or metrics. */
import type { Check, MakeCheck } from './check.ts';

export const noLeakedSecrets: MakeCheck = (view): Check => {
  const forms = new Map<string, readonly string[]>();
  const formsOf = (value: string) => {
    const known = forms.get(value) ?? [
      value,
      Buffer.from(value).toString('base64').replace(/=+$/, '').slice(0, -1),
    ];
    forms.set(value, known);
    return known;
  };
  const look = (check: Check, text: string, where: string) => {
    for (const [name, value] of Object.entries(view.servers.cloud.secrets))
      if (formsOf(value).some((form) => text.includes(form)))
        view.violated(check.name, `the secret ${name} is in ${where}`);
  };
  return {
    name: 'no leaked secrets',
    onArrival(traffic) {
      if (traffic.server === 'kube' && traffic.body !== undefined)
        look(this, JSON.stringify(traffic.body), `${traffic.method} ${traffic.path}`);
      return undefined;
    },
    atEnd() {
      const { lines, metrics } = view.servers.world;
      for (const { message, fields } of lines)
        look(this, `${message} ${textOf(fields)}`, `the log line "${message}"`);
      look(this, metrics.text(), 'a metric');
    },
  };
};

// ---------------------------------------------------------------------------------------------------

/** Including errors: message, stack, causes and other properties. */
function textOf(value: unknown): string {
  const seen = new Set<unknown>();
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null) return typeof inner === 'bigint' ? `${inner}` : inner;
    if (seen.has(inner)) return undefined;
    seen.add(inner);
    if (!(inner instanceof Error)) return inner;
    const { message, stack, cause } = inner;
    return { ...inner, message, stack, cause };
  });
}
