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

export default defineConfig({
  base: './',
  plugins: [
    {
      name: 'content security policy',
      apply: 'build',
      transformIndexHtml: () => [
        {
          tag: 'meta',
          attrs: { 'http-equiv': 'Content-Security-Policy', content: POLICY },
          injectTo: 'head-prepend',
        },
      ],
    },
  ],
})
