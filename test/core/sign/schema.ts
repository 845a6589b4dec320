import { readFileSync } from 'node:fs'

type Schema = { readonly [keyword: string]: unknown }

/** The schema of signing requests of all chains. */
const requestSchema: Schema = JSON.parse(
  readFileSync(new URL('../../../docs/signing-request.schema.json', import.meta.url), 'utf8'),
)

/** Keywords that describe but do not restrict. */
const ANNOTATIONS = ['$schema', '$defs', 'title', 'description']

/** Returns the paths at which a value violates the schema. Supports only the keywords that schemas of the guides use. */
export function schemaFaults(
  value: unknown,
  root: Schema = requestSchema,
  schema: Schema = root,
  path = '$',
): string[] {
  return Object.entries(schema).flatMap(([keyword, rule]) => {
    if (ANNOTATIONS.includes(keyword)) return []
    const holds = (fine: boolean) => (fine ? [] : [`${path} ${keyword}`])
    const members = Object.entries((value ?? {}) as object)
    const properties = (schema.properties ?? {}) as { readonly [name: string]: Schema }
    switch (keyword) {
      case '$ref':
        return schemaFaults(value, root, definition(root, rule as string), path)
      case 'const':
        return holds(value === rule)
      case 'type':
        return holds([rule].flat().includes(typeOf(value)))
      case 'enum':
        return holds((rule as unknown[]).includes(value))
      case 'oneOf': {
        const fits = (one: Schema) => schemaFaults(value, root, one, path).length === 0
        return holds((rule as Schema[]).filter(fits).length === 1)
      }
      case 'minimum':
        return holds(typeof value !== 'number' || value >= (rule as number))
      case 'maximum':
        return holds(typeof value !== 'number' || value <= (rule as number))
      case 'pattern':
        return holds(typeof value !== 'string' || new RegExp(rule as string, 'u').test(value))
      case 'minItems':
        return holds(!Array.isArray(value) || value.length >= (rule as number))
      case 'maxItems':
        return holds(!Array.isArray(value) || value.length <= (rule as number))
      case 'required':
        return (rule as string[]).flatMap((name) => holds(members.some(([key]) => key === name)))
      case 'additionalProperties':
        return members.flatMap(([name]) => holds(name in properties))
      case 'properties':
        return members.flatMap(([name, member]) =>
          properties[name] === undefined
            ? []
            : schemaFaults(member, root, properties[name], `${path}.${name}`),
        )
      case 'items':
        return (Array.isArray(value) ? value : []).flatMap((item, i) =>
          schemaFaults(item, root, rule as Schema, `${path}[${i}]`),
        )
      default:
        throw new Error(`the keyword ${keyword} is not known`)
    }
  })
}

function definition(root: Schema, reference: string): Schema {
  return (root.$defs as { readonly [name: string]: Schema })[reference.replace('#/$defs/', '')]!
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}
