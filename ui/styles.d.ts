/** A style sheet whose class names are its own. */
declare module '*.module.css' {
  const names: Readonly<Record<string, string>>
  // biome-ignore lint/style/noDefaultExport: that is how the bundler hands them over
  export default names
}
