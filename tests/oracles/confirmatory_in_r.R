# Rscript tests/oracles/confirmatory_in_r.R FOLDER > tests/oracles/confirmatory_in_r.txt
# R 4.2.2, lavaan 0.6.14. One line for each model and quantity: its name, what it is, the numbers.
suppressMessages(library(lavaan))
options(digits = 10)
folder <- commandArgs(trailingOnly = TRUE)[1]
say <- function(model, what, x) cat(model, what, signif(as.numeric(unlist(x)), 8), "\n")
people <- c(thurstone = 213, physical = 305, ability = 112, psychological = 145)
for (line in readLines(file.path(folder, "models.txt"))) {
  part <- strsplit(line, "|", fixed = TRUE)[[1]]  # name, table, orthogonal, model
  data <- read.csv(file.path(folder, paste0(part[2], ".csv")))
  straight <- part[3] == "True"
  if (part[2] %in% names(people)) {
    S <- as.matrix(data)
    rownames(S) <- colnames(S)
    f <- cfa(part[4], sample.cov = S, sample.nobs = people[[part[2]]], std.lv = TRUE, orthogonal = straight)
  } else f <- cfa(part[4], data = data, std.lv = TRUE, orthogonal = straight)
  s <- standardizedSolution(f)
  s <- s[s$op == "=~" | (s$op == "~~" & s$lhs != s$rhs & s$se > 0), ]
  cat(part[1], "left", s$lhs, "\n")
  cat(part[1], "right", s$rhs, "\n")
  say(part[1], "estimate", s$est.std)
  say(part[1], "se", s$se)
  say(part[1], "fit", fitMeasures(f, c("chisq", "df", "pvalue", "rmsea", "rmsea.ci.lower", "rmsea.ci.upper",
    "tli", "cfi", "srmr")))
  n <- lavInspect(f, "nobs")
  m <- fitMeasures(f, c("bic", "unrestricted.logl", "npar", "df"))
  say(part[1], "bic", m["bic"] - (-2 * m["unrestricted.logl"] + (m["npar"] + m["df"]) * log(n)))
}
