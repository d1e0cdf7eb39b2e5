/**
 * How an EC2NodeClass finds subnets, security groups, images, capacity reservations and a placement group.
 * A term with an id is complete: other fields beside it have no effect. Some rules are as loose as upstream's;
 * `doubtful-values.ts` warns of what they accept.
 */
import { choice, list, map, object, optional, type Rule, type Static, text } from '../../schema/schema.ts';

/** The family of each alias, in the order in which the API server checks them. */
export const ALIAS_AMI_FAMILIES = [
  { alias: 'al2', family: 'AL2', article: 'an' },
  { alias: 'al2023', family: 'AL2023', article: 'an' },
  { alias: 'bottlerocket', family: 'Bottlerocket', article: 'a' },
  { alias: 'windows2019', family: 'Windows2019', article: 'a' },
  { alias: 'windows2022', family: 'Windows2022', article: 'a' },
  { alias: 'windows2025', family: 'Windows2025', article: 'a' },
] as const;
const ALIASES = ALIAS_AMI_FAMILIES.map(({ alias }) => alias);
const WINDOWS_ALIASES = ALIASES.filter((alias) => alias.startsWith('windows'));

export const capacityReservationId = text('The id of the capacity reservation.', {
  pattern: '^cr-[0-9a-z]+$',
});
export const instanceMatchCriteria = choice('Whether any matching instance may use the reservation.', [
  'open',
  'targeted',
]);
export const ownerId = text('The account that owns the capacity reservation.', { pattern: '^[0-9]{12}$' });

const subnetTerm = object('Subnets that match all fields of the term.', {
  tags: optional(selectorTags()),
  id: optional(text('The id of the subnet.', { pattern: '^subnet-[0-9a-z]+$' })),
});
export type SubnetSelectorTerm = Static<typeof subnetTerm>;

export const subnetSelectorTerms = list(
  'The subnets for nodes: all that match one of the terms.',
  subnetTerm,
  {
    maxItems: 30,
    rules: [
      notEmpty('subnetSelectorTerms'),
      atLeastOne(['tags', 'id']),
      aloneSomewhere(
        'id',
        ['tags'],
        "'id' is mutually exclusive, cannot be set with a combination of other fields in a subnet selector term",
      ),
    ],
  },
);

const securityGroupTerm = object('Security groups that match all fields of the term.', {
  tags: optional(selectorTags()),
  id: optional(text('The id of the security group.', { pattern: '^sg-[0-9a-z]+$' })),
  name: optional(text('The name of the security group (not its Name tag); `*` matches any text.')),
});
export type SecurityGroupSelectorTerm = Static<typeof securityGroupTerm>;

export const securityGroupSelectorTerms = list(
  'The security groups of nodes: all that match one of the terms.',
  securityGroupTerm,
  {
    maxItems: 30,
    rules: [
      notEmpty('securityGroupSelectorTerms'),
      atLeastOne(['tags', 'id', 'name']),
      aloneSomewhere(
        'id',
        ['tags', 'name'],
        "'id' is mutually exclusive, cannot be set with a combination of other fields in a security group selector term",
      ),
      aloneSomewhere(
        'name',
        ['tags', 'id'],
        "'name' is mutually exclusive, cannot be set with a combination of other fields in a security group selector term",
      ),
    ],
  },
);

const capacityReservationTerm = object('Capacity reservations that match all fields of the term.', {
  tags: optional(selectorTags()),
  id: optional(capacityReservationId),
  ownerID: optional(ownerId),
  instanceMatchCriteria: optional(instanceMatchCriteria),
});
export type CapacityReservationSelectorTerm = Static<typeof capacityReservationTerm>;

export const capacityReservationSelectorTerms = list(
  'The capacity reservations that nodes may use: all that match one of the terms.',
  capacityReservationTerm,
  {
    maxItems: 30,
    rules: [
      atLeastOne(['tags', 'id', 'instanceMatchCriteria']),
      aloneSomewhere(
        'id',
        ['tags', 'ownerID', 'instanceMatchCriteria'],
        "'id' is mutually exclusive, cannot be set along with other fields in a capacity reservation selector term",
      ),
    ],
  },
);

const alias = text('An image family of AWS, and a version or `latest`: `al2023@latest`.', {
  maxLength: 30,
  rules: [
    {
      message: "'alias' is improperly formatted, must match the format 'family@version'",
      rule: "self.matches('^[a-zA-Z0-9]+@.+$')",
    },
    {
      message: `family is not supported, must be one of the following: ${quoted(ALIASES)}`,
      rule: `self.split('@')[0] in [${quoted(ALIASES)}]`,
    },
    {
      message: "windows families may only specify version 'latest'",
      rule: `!(self.split('@')[0] in [${quoted(WINDOWS_ALIASES)}]) || self.split('@')[1] == 'latest'`,
    },
  ],
});

const amiTerm = object('Images that match all fields of the term.', {
  alias: optional(alias),
  tags: optional(selectorTags()),
  id: optional(text('The id of the image.', { pattern: '^ami-[0-9a-z]+$' })),
  name: optional(text('The name of the image; `*` matches any text.')),
  owner: optional(
    text('The account or alias that owns the image. The default for a name is self and amazon.'),
  ),
  ssmParameter: optional(text('An SSM parameter, by name or ARN, that holds the id of the image.')),
});
export type AMISelectorTerm = Static<typeof amiTerm>;

export const amiSelectorTerms = list('The images for nodes: all that match one of the terms.', amiTerm, {
  minItems: 1,
  maxItems: 30,
  rules: [
    atLeastOne(['tags', 'id', 'name', 'alias', 'ssmParameter']),
    alone(
      'id',
      ['alias', 'tags', 'name', 'owner'],
      "'id' is mutually exclusive, cannot be set with a combination of other fields in amiSelectorTerms",
    ),
    alone(
      'alias',
      ['id', 'tags', 'name', 'owner'],
      "'alias' is mutually exclusive, cannot be set with a combination of other fields in amiSelectorTerms",
    ),
    {
      message: "'alias' is mutually exclusive, cannot be set with a combination of other amiSelectorTerms",
      rule: '!(self.exists(x, has(x.alias)) && self.size() != 1)',
    },
  ],
});

export const placementGroupSelector = object(
  'The placement group of the nodes.',
  {
    name: optional(text('The name of the placement group.', { minLength: 1 })),
    id: optional(text('The id of the placement group.', { pattern: '^pg-[0-9a-z]+$' })),
  },
  {
    rules: [
      { message: "expected at least one, got none, ['name', 'id']", rule: 'has(self.name) || has(self.id)' },
      { message: "'name' and 'id' are mutually exclusive", rule: '!(has(self.name) && has(self.id))' },
    ],
  },
);

// ---------------------------------------------------------------------------------------------------------------

function selectorTags() {
  return map(
    'Tags that must all be present; the value `*` matches any value.',
    text('The value of the tag.'),
    {
      maxProperties: 20,
      rules: [
        {
          message: "empty tag keys or values aren't supported",
          rule: "self.all(k, k != '' && self[k] != '')",
        },
      ],
    },
  );
}

function notEmpty(field: string): Rule {
  return { message: `${field} cannot be empty`, rule: 'self.size() != 0' };
}

function atLeastOne(fields: readonly string[]): Rule {
  return {
    message: `expected at least one, got none, [${quoted(fields)}]`,
    rule: `self.all(x, ${anyOf(fields)})`,
  };
}

function alone(field: string, others: readonly string[], message: string): Rule {
  return { message, rule: `!self.exists(x, has(x.${field}) && (${anyOf(others)}))` };
}

/** As loose as upstream's: it rejects the list only if every term mixes the field with others. */
function aloneSomewhere(field: string, others: readonly string[], message: string): Rule {
  return { message, rule: `!self.all(x, has(x.${field}) && (${anyOf(others)}))` };
}

function anyOf(fields: readonly string[]): string {
  return fields.map((field) => `has(x.${field})`).join(' || ');
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ');
}
