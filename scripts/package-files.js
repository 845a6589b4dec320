/** All that the package may contain. */
const ALLOWED = [
  /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|SECURITY\.md)$/,
  /^dist\/[\w./-]+\.(js|d\.ts)(\.map)?$/,
  /^dist\/(avmkit\.(mjs|1|html|html\.sha256)|page\/elements\/view\.css)$/,
  // The sources of the page are in one file, except its elements, which are an entry point.
  /^src\/(?!page\/(?!elements\/))[\w./-]+\.ts$/,
  /^docs\/[\w.-]+\.(md|json)$/,
  /^docs\/figures\/[\w-]+\.svg$/,
  /^networks\/[\w-]+\.json$/,
  /^deploy\/[\w-]+\.(service|yml)$/,
  /^examples\/[\w-]+\.js$/,
  /^examples\/web-wallet\/([\w.-]+|src\/[\w./-]+)$/,
  /^benchmarks\/RESULTS\.md$/,
]

/** Whether the package may contain a file. */
export function isAllowed(path) {
  return ALLOWED.some((pattern) => pattern.test(path))
}
