import { createHash } from 'node:crypto'
import type { StaticPage } from './app.ts'
import type { Field, Schema } from './describe.ts'
import { API_VERSION, openAPI } from './openapi.ts'
import { keyText } from './resources.ts'
import type { Route } from './route.ts'
import { routes } from './routes/index.ts'

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
h2{font:600 1.1rem ui-monospace,monospace;margin-top:2.5rem}td,th{text-align:left;padding:.2rem 1rem .2rem 0;vertical-align:top}
code{font-family:ui-monospace,monospace}.quiet{opacity:.75}`

/** The pages of the service: its OpenAPI document, and the same for people. Nothing is loaded from elsewhere. */
export function servicePages(): readonly StaticPage[] {
  const hash = createHash('sha256').update(STYLE).digest('base64')
  return [
    {
      path: '/openapi.json',
      type: 'application/json',
      text: `${JSON.stringify(openAPI(), undefined, 2)}\n`,
    },
    {
      path: '/docs',
      type: 'text/html; charset=utf-8',
      text: page(),
      headers: {
        // No scripts, no images, no frames: only the style above.
        'content-security-policy': `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
        'referrer-policy': 'no-referrer',
      },
    },
  ]
}

function page(): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>avmkit custody</title><style>${STYLE}</style></head><body><main><h1>avmkit custody ${API_VERSION}</h1>
<p>Amounts, cursors and heights are strings of digits. Unknown members are refused. Errors are problem details (RFC 9457) with
a <code>code</code>. The same as a document: <a href="/openapi.json">openapi.json</a>.</p>
${routes.map(section).join('\n')}</main></body></html>\n`
}

function section(route: Route): string {
  const { method, path, summary, roles, params, query, body, result } = route
  const rights = roles.length === 0 ? 'no token is needed' : `role ${roles.join(' or ')}`
  return `<section><h2>${method.toUpperCase()} ${html(path)}</h2><p>${html(summary)} <span class="quiet">(${rights})</span></p>
${members('path', params.fields)}${members('query', query.fields)}${route.isKeyed ? members('header', { 'Idempotency-Key': keyText }) : ''}
${body === undefined ? '' : schemaTable('body', body.schema)}${schemaTable(`result ${result.status}`, result.field.schema)}</section>`
}

function members(title: string, fields: { readonly [name: string]: Field<unknown> }): string {
  const entries = Object.entries(fields)
  if (entries.length === 0) return ''
  const rows = entries.map(([name, { schema, isOptional }]) => row(name, schema, !isOptional))
  return table(title, rows)
}

function schemaTable(title: string, schema: Schema): string {
  const rows = rowsOf('', schema)
  return rows.length === 0 ? '' : table(title, rows)
}

/** One row per member, those of inner objects included. */
function rowsOf(prefix: string, schema: Schema): string[] {
  const { properties = {}, required = [] } = schema as {
    properties?: { readonly [name: string]: Schema }
    required?: readonly string[]
  }
  return Object.entries(properties).flatMap(([name, member]) => {
    const path = `${prefix}${name}`
    const items = (member.items ?? {}) as Schema
    const inner = [...rowsOf(`${path}.`, member), ...rowsOf(`${path}[].`, items)]
    return [row(path, member, required.includes(name)), ...inner]
  })
}

function row(name: string, schema: Schema, isRequired: boolean): string {
  const { type, format, description = '' } = schema
  const words = (schema.enum as readonly string[] | undefined)?.join(' | ')
  const kind = words ?? [type, format].filter(Boolean).join(' ')
  return `<tr><td><code>${html(name)}</code></td><td>${html(kind)}${isRequired ? '' : ', optional'}</td><td>${html(String(description))}</td></tr>`
}

function table(title: string, rows: readonly string[]): string {
  return `<table><thead><tr><th scope="col">${html(title)}</th><th scope="col">type</th><th scope="col">meaning</th></tr></thead><tbody>${rows.join('')}</tbody></table>`
}

function html(text: string): string {
  return text.replaceAll(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
