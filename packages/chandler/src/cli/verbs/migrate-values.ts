/** `chandler migrate-values`: prints values of our chart made of those of Karpenter's, and what it did with each key. */
import { cloudOfValues, type Migration, migrateValues } from '../../chart/index.ts';
import {
  CLOUD_FLAG,
  CLOUD_NAMES,
  CLOUD_VARIABLE,
  type CloudName,
  cloudNamed,
  loadCloudOptions,
} from '../../cloud/registry.ts';
import { OPERATOR_OPTIONS } from '../../settings/index.ts';
import { reportLines } from '../migrate-values/report.ts';
import { readText, STANDARD_INPUT } from '../simulate/sources.ts';
import { readStandardInput } from '../standard-input.ts';
import { defineVerb, EXIT_FAILURE, EXIT_OK, Failure, UsageError } from '../verb.ts';

export const migrateValuesVerb = defineVerb({
  name: 'migrate-values',
  summary: "Make values of the chart chandler of those of Karpenter's chart",
  description:
    "Reads a values file of Karpenter's chart and prints values of the chart chandler. For each key, standard error says\n" +
    'what became of it: kept, renamed, dropped and why, or unknown. Options in controller.env become settings. A secret in it\n' +
    'becomes a reference to a key of a Secret, and its value is not printed.\n' +
    '\n' +
    'The exit code is 1 if a key or a value is not understood; the printed values lack it.',
  positionals: 'FILE',
  examples: [
    {
      command: 'helm get values karpenter -n kube-system -o yaml | chandler migrate-values - > values.yaml',
      does: 'make a values file of the values of an installed release',
    },
    {
      command: 'chandler migrate-values karpenter.yaml --image REGISTRY/chandler -o json',
      does: 'print the values, and what became of each key, as JSON',
    },
  ],
  options: {
    cloud: {
      flag: CLOUD_FLAG,
      env: CLOUD_VARIABLE,
      type: 'string',
      choices: CLOUD_NAMES,
      default: undefined as string | undefined,
      doc: 'The cloud of the cluster. Default: that which the values are for',
    },
    image: {
      flag: 'image',
      type: 'string',
      default: '',
      placeholder: 'REPOSITORY',
      doc: "The repository of Chandler's image, for image.repository, which the chart requires",
    },
    output: {
      flag: 'output',
      short: 'o',
      type: 'string',
      default: 'yaml',
      choices: ['yaml', 'json'],
      doc: 'Output format',
    },
  },
  async run({ options, positionals, terminal, interrupted }) {
    const [file, ...others] = positionals;
    if (file === undefined || others.length > 0)
      throw new UsageError([{ where: 'FILE', message: 'name one values file, or - for standard input' }]);
    const name = file === STANDARD_INPUT ? 'standard input' : file;
    const given = await parsed(
      name,
      file === STANDARD_INPUT ? await readStandardInput(interrupted) : await readText(file),
    );
    const cloud = cloudOf(options.cloud.value, name, given);
    const { table } = await loadCloudOptions(cloud);
    const migration = migrateValues(given, cloud, { ...OPERATOR_OPTIONS, ...table });
    const image = options.image.value;
    const result = { ...migration, values: withImage(migration.values, image) };
    if (options.output.value === 'json') terminal.out(`${JSON.stringify({ cloud, ...result }, null, 2)}\n`);
    else {
      const { stringify } = await import('../lazy/yaml.ts');
      terminal.out(stringify(result.values, { lineWidth: 0 }));
      terminal.err(
        reportLines(result.keys)
          .map((line) => `${line}\n`)
          .join(''),
      );
    }
    if (image === '')
      terminal.err('image.repository is required: set it, or run this with --image REPOSITORY\n');
    return conclude(result, name, (line) => terminal.err(line));
  },
});

// ---------------------------------------------------------------------------------------------------

function withImage({ cloud, ...values }: Migration['values'], repository: string): Migration['values'] {
  return { cloud, ...(repository === '' ? {} : { image: { repository } }), ...values };
}

function cloudOf(flag: string | undefined, name: string, given: unknown): CloudName {
  const cloud = cloudNamed(flag ?? cloudOfValues(given) ?? '');
  if (cloud !== undefined) return cloud;
  const message = `${name} does not tell the cloud of the cluster; set it to ${CLOUD_NAMES.join(' or ')}`;
  throw new UsageError([{ where: `--${CLOUD_FLAG}`, message }]);
}

function conclude({ keys }: Migration, name: string, say: (line: string) => void): number {
  const unknown = keys.filter(({ action }) => action === 'unknown');
  if (unknown.length === 0) return EXIT_OK;
  const what = unknown.length === 1 ? '1 key is' : `${unknown.length} keys are`;
  say(`${name}: ${what} not understood: ${unknown.map(({ key }) => key).join(', ')}\n`);
  return EXIT_FAILURE;
}

/** @throws {Failure} that names the file and the line. */
async function parsed(name: string, text: string): Promise<unknown> {
  const { parseAllDocuments } = await import('../lazy/yaml.ts');
  const documents = [...parseAllDocuments(text)];
  const [problem] = documents.flatMap(({ errors }) => errors);
  if (problem !== undefined) throw new Failure(`${name} is not YAML: ${problem.message.split('\n')[0]}`);
  if (documents.length > 1)
    throw new Failure(`${name} has ${documents.length} documents; a values file has one`);
  const values: unknown = documents[0]?.toJS();
  if (typeof values !== 'object' || values === null || Array.isArray(values))
    throw new Failure(`${name} is not a values file: it has no keys`);
  return values;
}
