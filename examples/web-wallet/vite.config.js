import { cpSync, existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

/** What the built page may load and where it may connect: any node, nothing else. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  'img-src data:',
  'connect-src http: https:',
  "form-action 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

/** The pages about error codes, which `npm run docs` of avmkit writes. Without them, errors have no link. */
const errorPages = fileURLToPath(new URL('../../docs/api/errors', import.meta.url))
const hasErrorPages = existsSync(errorPages)

export default defineConfig({
  base: './',
  define: { 'import.meta.env.VITE_DOCS': JSON.stringify(hasErrorPages ? './' : '') },
  plugins: [
    {
      name: 'policy and error pages',
      apply: 'build',
      transformIndexHtml: () => [
        {
          tag: 'meta',
          attrs: { 'http-equiv': 'Content-Security-Policy', content: POLICY },
          injectTo: 'head-prepend',
        },
      ],
      writeBundle: ({ dir }) => {
        if (hasErrorPages) cpSync(errorPages, `${dir}/errors`, { recursive: true })
      },
    },
  ],
})
