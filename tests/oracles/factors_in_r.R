# Rscript tests/oracles/factors_in_r.R FOLDER > tests/oracles/factors_in_r.txt
# One line for each table and quantity: its name, what it is, the numbers (matrices by columns).
suppressMessages({library(psych); library(lavaan); library(GPArotation)})
options(digits = 10, mc.cores = 1)
folder <- commandArgs(trailingOnly = TRUE)[1]
say <- function(table, what, x) cat(table, what, signif(as.numeric(unlist(x)), 8), "\n")
quiet <- function(x) suppressWarnings(suppressMessages({capture.output(y <- x, file = nullfile()); y}))
read <- function(name) read.csv(file.path(folder, paste0(name, ".csv")))
people <- c(thurstone = 213, physical = 305, ability = 112, psychological = 145)
factors <- c(one = 1, three = 3, few = 1, reversed = 3, gaps = 3, binary = 2, graded = 2,
             thurstone = 3, physical = 2, ability = 2, psychological = 4)
correlations <- list()
for (name in c("binary", "rare", "graded", "sparse", "gaps_graded", "mixed")) {
  data <- read(name)
  found <- quiet(if (name %in% c("binary", "rare")) tetrachoric(data, smooth = FALSE)$rho
                 else if (name == "mixed") mixedCor(data, smooth = FALSE)$rho
                 else polychoric(data, smooth = FALSE)$rho)
  correlations[[name]] <- found
  say(name, "correlations", found)
}
data <- read("mixed")
graded <- data
for (i in 4:9) graded[[i]] <- as.ordered(graded[[i]])
say("mixed", "hetcor", quiet(polycor::hetcor(graded, ML = FALSE, std.err = FALSE)$correlations))
graded <- read("graded")
say("graded", "polychor", sapply(2:8, function(i) polycor::polychor(graded[[1]], graded[[i]])))

for (name in names(factors)) {
  n <- factors[[name]]
  matrix <- name %in% names(people)
  data <- read(name)
  R <- if (matrix) as.matrix(data) else if (name %in% names(correlations)) correlations[[name]] else
    cor(data, use = "pairwise")
  rownames(R) <- colnames(R)
  N <- if (matrix) people[[name]] else nrow(data)
  for (fm in c("minres", "ml")) {
    f <- quiet(fa(R, n, n.obs = N, rotate = "none", fm = fm))
    say(name, paste0("fit.", fm), c(f$STATISTIC, f$dof, f$PVAL, f$RMSEA[1:3], f$TLI, f$rms, f$BIC))
    say(name, paste0("communalities.", fm), f$communality)
  }
  if (!matrix && !(name %in% c("gaps", "binary", "graded")) || matrix) {
    S <- R
    e <- quiet(efa(ov.names = colnames(S), sample.cov = S, sample.nobs = N, nfactors = n, rotation = "none", output = "lavaan"))
    say(name, "fit.lavaan", fitMeasures(e, c("chisq", "df", "pvalue", "rmsea", "rmsea.ci.lower",
      "rmsea.ci.upper", "tli", "cfi", "srmr")))
  }
  say(name, "oblimin", quiet(fa(R, n, n.obs = N)$loadings))
  if (n > 1) {
    say(name, "phi", quiet(fa(R, n, n.obs = N)$Phi))
    for (how in c("promax", "quartimax"))
      say(name, how, quiet(fa(R, n, n.obs = N, rotate = how)$loadings))
    L <- unclass(quiet(fa(R, n, n.obs = N, rotate = "none")$loadings))
    say(name, "varimax", varimax(L, eps = 1e-14)$loadings)  # psych's own stops early, up to 0.01 away
    best <- function(rotation, ...) {
      set.seed(1)
      tries <- lapply(1:30, function(i) quiet(rotation(L, Tmat = Random.Start(ncol(L)), eps = 1e-6, maxit = 2000, ...)))
      tries[[which.min(sapply(tries, function(t) t$Table[nrow(t$Table), 2]))]]
    }
    if (n > 2) say(name, "bifactor", best(bifactorT)$loadings)
    target <- matrix(0, nrow(L), n)
    for (i in 1:nrow(L)) target[i, 1 + ((i - 1) * n) %/% nrow(L)] <- NA
    t <- best(targetQ, Target = target)
    say(name, "target", t$loadings)
    say(name, "target.phi", t$Phi)
    say(name, "target_orthogonal", best(targetT, Target = target)$loadings)
  }
  most <- min(8, floor((2 * nrow(R) + 1 - sqrt(8 * nrow(R) + 1)) / 2))
  v <- quiet(vss(R, most, n.obs = N, plot = FALSE))
  say(name, "map", v$map)
  say(name, "vss1", v$cfit.1)
  say(name, "vss2", v$cfit.2)
  if (n == 3 || name %in% c("graded", "psychological")) {
    o <- quiet(omega(R, 3, n.obs = N, plot = FALSE))
    say(name, "omega", c(o$omega_h, o$omega.tot, o$ECV, o$alpha, o$G6))
    say(name, "key", o$key)
  }
  if (!matrix) {
    a <- quiet(alpha(data, check.keys = TRUE, warnings = FALSE))
    say(name, "alpha", c(a$total$raw_alpha, a$total$std.alpha, a$total[["G6(smc)"]]))
    ci <- alpha.ci(a$total$raw_alpha, nrow(data), ncol(data))
    say(name, "alpha.feldt", c(ci$lower.ci, ci$upper.ci))
    say(name, "alpha.dropped", a$alpha.drop$raw_alpha)
    say(name, "r.drop", a$item.stats$r.drop)
  }
  if (name %in% c("one", "three")) for (how in c("Thurstone", "Bartlett", "tenBerge")) {
    f <- quiet(fa(data, n, rotate = "oblimin"))
    L <- as.matrix(unclass(f$loadings))  # a matrix: psych takes Thurstone's for one factor otherwise
    scores <- factor.scores(data, L, Phi = f$Phi, method = how)$scores
    say(name, how, scores[1:6, ])
  }
}
