// node benchmarks/area.js AREA: runs the rows of one area and prints each as one line of JSON.

const { default: run } = await import(new URL(`${process.argv[2]}.js`, import.meta.url))
for await (const row of run()) console.log(JSON.stringify(row))
