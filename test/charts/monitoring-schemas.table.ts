/** The fields of the Prometheus operator's kinds that our chart writes, after its API reference (monitoring.coreos.com/v1). */
const TEXT = { type: 'string' };
const TEXTS = { type: 'array', items: TEXT };
const LABELS = { type: 'object', additionalProperties: TEXT };

function kind(spec: object): object {
  return {
    type: 'object',
    additionalProperties: false,
    required: ['apiVersion', 'kind', 'metadata', 'spec'],
    properties: { apiVersion: TEXT, kind: TEXT, metadata: { type: 'object' }, spec },
  };
}

function object(required: readonly string[], properties: object): object {
  return {
    type: 'object',
    additionalProperties: false,
    ...(required.length === 0 ? {} : { required }),
    properties,
  };
}

const RELABELING = object([], {
  action: TEXT,
  sourceLabels: TEXTS,
  regex: TEXT,
  targetLabel: TEXT,
  replacement: TEXT,
  separator: TEXT,
});

export const MONITORING_SCHEMAS = {
  'servicemonitor-monitoring.coreos.com-v1.json': kind(
    object(['selector', 'endpoints'], {
      namespaceSelector: object([], { any: { type: 'boolean' }, matchNames: TEXTS }),
      selector: object([], { matchLabels: LABELS }),
      endpoints: {
        type: 'array',
        items: object([], {
          port: TEXT,
          path: TEXT,
          interval: TEXT,
          scrapeTimeout: TEXT,
          honorLabels: { type: 'boolean' },
          metricRelabelings: { type: 'array', items: RELABELING },
        }),
      },
    }),
  ),
  'prometheusrule-monitoring.coreos.com-v1.json': kind(
    object(['groups'], {
      groups: {
        type: 'array',
        items: object(['name', 'rules'], {
          name: TEXT,
          rules: {
            type: 'array',
            items: object(['alert', 'expr'], {
              alert: TEXT,
              expr: TEXT,
              for: TEXT,
              labels: LABELS,
              annotations: LABELS,
            }),
          },
        }),
      },
    }),
  ),
} as const;
